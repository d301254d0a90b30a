// While a competition runs and its report is served, this tells how far it is and when there is a newer report.
"use strict";
(function () {
  const box = document.getElementById("live");
  if (!box || !location.protocol.startsWith("http")) return;
  const address = document.body.dataset.root + "progress.json";
  const shown = Number(box.dataset.runs);
  let site = null;
  async function ask() {
    try {
      const answer = await fetch(address, { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.statusText);
      show(await answer.json());
    } catch (e) {
      box.firstElementChild.textContent = "The server does not answer; these are the last results that it gave.";
    }
    setTimeout(ask, 3000);
  }
  function show(p) {
    const n = (x) => x.toLocaleString("en");
    const lines = [];
    const line = document.createElement("p");
    line.textContent = p.running
      ? "Partial results: " + n(p.done) + (p.more ? " of at least " : " of ") + n(p.total) + " runs are done" + (p.failed ? ", " + n(p.failed) + " failed" : "") + (p.left ? ", about " + p.left + " left" : "") + ". " + (p.done === shown ? "" : "This page counts the " + n(shown) + " that were judged when it was made. ") + p.note
      : "All runs are done. " + p.note;
    lines.push(line);
    if (site === null) site = p.site;
    if (site !== p.site && shown === 0) return location.reload(); // nobody has begun to read it
    if (site !== p.site) {
      const again = document.createElement("p");
      const link = document.createElement("a");
      link.href = location.href;
      link.textContent = "Load the newer results";
      link.addEventListener("click", (e) => { e.preventDefault(); location.reload(); });
      again.append(link);
      lines.push(again);
    }
    if (p.failures.length) {
      const list = document.createElement("ul");
      for (const f of p.failures) { const item = document.createElement("li"); item.textContent = f; list.append(item); }
      lines.push(list);
    }
    box.replaceChildren(...lines);
    const rows = document.querySelectorAll("#progress tbody tr");
    if (p.divisions && p.divisions.length === rows.length && !document.querySelector("#progress [aria-sort]")) {
      p.divisions.forEach((d, i) => {
        [d.done, d.total, d.share, d.left].forEach((text, k) => { rows[i].cells[k + 2].textContent = text; });
      });
    }
  }
  ask();
})();

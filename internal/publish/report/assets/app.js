// Tables that sort and filter, and tabs. Every page works without this script; it makes nothing out of text but text.
"use strict";
(function () {
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  function keyOf(row, column) {
    const cell = row.cells[column];
    if (!cell) return "";
    return cell.dataset.v !== undefined ? Number(cell.dataset.v) : cell.textContent.trim();
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return collator.compare(String(a), String(b));
  }

  function sortBy(table, column, header) {
    const descending = header.getAttribute("aria-sort") === "ascending" ||
      (!header.hasAttribute("aria-sort") && header.classList.contains("num") && header.textContent.trim() !== "Place");
    for (const th of table.tHead.rows[0].cells) th.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = Array.from(body.rows).filter((r) => !r.classList.contains("sum"));
    const sums = Array.from(body.rows).filter((r) => r.classList.contains("sum"));
    const keyed = rows.map((row, i) => ({ row, i, key: keyOf(row, column) }));
    keyed.sort((x, y) => (descending ? compare(y.key, x.key) : compare(x.key, y.key)) || x.i - y.i);
    body.append(...keyed.map((k) => k.row), ...sums);
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    if (!table.tHead || table.tBodies[0].rows.length < 2) continue;
    Array.from(table.tHead.rows[0].cells).forEach((th, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...th.childNodes);
      th.append(button);
      button.addEventListener("click", () => sortBy(table, i, th));
    });
  }

  for (const input of document.querySelectorAll("input[data-filter]")) {
    const table = document.getElementById(input.dataset.filter);
    const output = document.querySelector('output[data-count="' + input.dataset.filter + '"]');
    const rows = Array.from(table.tBodies[0].rows);
    const texts = rows.map((r) => r.textContent.toLowerCase());
    input.closest(".filter").hidden = false;
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, i) => {
        row.hidden = !words.every((w) => texts[i].includes(w));
        if (!row.hidden) shown++;
      });
      output.textContent = words.length ? shown + " of " + rows.length : "";
    });
  }

  for (const section of document.querySelectorAll("[data-tabs]")) {
    const panels = Array.from(section.querySelectorAll(".tab"));
    if (panels.length < 2) continue;
    const bar = section.querySelector(".tabbar");
    const tabs = panels.map((panel, i) => {
      const tab = document.createElement("button");
      tab.type = "button";
      tab.setAttribute("role", "tab");
      tab.id = "tab-" + panel.id;
      tab.textContent = panel.dataset.title;
      tab.setAttribute("aria-controls", panel.id);
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", tab.id);
      tab.addEventListener("click", () => show(i, true));
      tab.addEventListener("keydown", (e) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
        if (step) { e.preventDefault(); show((i + step + panels.length) % panels.length, true); tabs[(i + step + panels.length) % panels.length].focus(); }
      });
      bar.append(tab);
      return tab;
    });
    function show(k, remember) {
      panels.forEach((p, i) => { p.hidden = i !== k; });
      tabs.forEach((t, i) => { t.setAttribute("aria-selected", String(i === k)); t.tabIndex = i === k ? 0 : -1; });
      if (remember) history.replaceState(null, "", "#" + panels[k].id);
    }
    section.classList.add("ready");
    const wanted = panels.findIndex((p) => "#" + p.id === location.hash);
    show(wanted < 0 ? 0 : wanted, false);
  }
})();

// What no key covers: which version a program says it is, and the state of machines. The data file comes with the
// published site.
"use strict";
(function () {
  smtpipe.load(document.body.dataset.root + "data/evidence.js", "evidence").then((evidence) => {
    const said = new Map();
    for (const v of evidence.versions) {
      for (const digest of [v.program_sha256, v.archive_sha256]) {
        if (digest) said.set(digest + " " + v.program, v.line || "did not say");
      }
    }
    for (const place of document.querySelectorAll("[data-versions]")) {
      const lines = new Set(place.dataset.versions.split("\n").map((p) => said.get(p)).filter(Boolean));
      if (lines.size > 0) place.textContent = Array.from(lines).join("; ");
    }
    showMachines(evidence.machines || []);
    showNodes(evidence.nodes || []);
  }, () => {}); // a copy of the site without evidence

  function showMachines(all) {
    const machines = document.getElementById("machines");
    if (!machines || all.length === 0) return;
    const el = smtpipe.el, list = machines.querySelector("dl");
    const days = (s) => s.first === s.last ? s.first : s.first + " to " + s.last;
    for (const m of all) {
      const states = m.states.flatMap((s) => [s.text + " (" + days(s) + ")", el("br")]);
      list.append(el("div", {}, el("dt", { text: m.hardware }), el("dd", {}, ...states)));
    }
    machines.hidden = false;
  }

  // showNodes shows a table for each stage whose runs were executed elsewhere.
  function showNodes(stages) {
    const section = document.getElementById("nodes");
    if (!section || stages.length === 0) return;
    const el = smtpipe.el;
    const columns = ["Runs", "Throttled runs", "Failures", "Lost jobs", "Jobs without run", "Reference (s)", "Spread (%)"];
    for (const stage of stages) {
      const rows = stage.nodes.map((n) => {
        const times = (n.references_s || []).slice().sort((a, b) => a - b);
        const median = times[Math.floor(times.length / 2)];
        const reference = times.length === 0 ? ["", ""] :
          [median.toFixed(3), (100 * (times[times.length - 1] - times[0]) / median).toFixed(0)];
        const figures = [n.runs, n.throttled_runs, n.failures, n.lost_jobs, n.jobs_without_run, ...reference];
        return el("tr", {}, el("th", { scope: "row", text: n.node || "not known" }),
          ...figures.map((f) => el("td", { class: "num", text: String(f) })),
          el("td", { text: n.excluded ? "excluded: " + n.excluded : n.last_problem || "" }));
      });
      const heads = ["Node", ...columns, "Last problem"].map((t, i) =>
        el("th", { scope: "col", class: i > 0 && i <= columns.length ? "num" : "", text: t }));
      section.append(el("section", { class: "tablebox", "aria-label": "Nodes of " + stage.stage, tabindex: "0" },
        el("table", {}, el("caption", { text: stage.stage }), el("thead", {}, el("tr", {}, ...heads)),
          el("tbody", {}, ...rows))));
    }
    section.hidden = false;
  }
})();

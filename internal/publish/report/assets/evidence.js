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
    const machines = document.getElementById("machines");
    if (!machines || !evidence.machines) return;
    const el = smtpipe.el, list = machines.querySelector("dl");
    const days = (s) => s.first === s.last ? s.first : s.first + " to " + s.last;
    for (const m of evidence.machines) {
      const states = m.states.flatMap((s) => [s.text + " (" + days(s) + ")", el("br")]);
      list.append(el("div", {}, el("dt", { text: m.hardware }), el("dd", {}, ...states)));
    }
    machines.hidden = false;
  }, () => {}); // a copy of the site without evidence
})();

// What no key covers: which version a program says it is. The data file comes with the published site.
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
  }, () => {}); // a copy of the site without evidence
})();

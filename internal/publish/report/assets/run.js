// One run with all that is known of it: its page, and the details that the explorer shows.
"use strict";
(function () {
  const el = smtpipe.el, root = document.body.dataset.root;
  const code = (text) => text ? el("code", { text }) : null;
  const seconds = (t) => t.toLocaleString("en", { maximumFractionDigits: 3 }) + " s";

  function factList() {
    const list = el("dl", { class: "facts" });
    const add = (name, value) => {
      if (!value) return;
      list.append(el("div", {}, el("dt", { text: name }), el("dd", {}, value instanceof Node ? value : document.createTextNode(value))));
    };
    return [list, add];
  }

  function limits(wall, cpu, memory, cores) {
    const all = [];
    if (wall) all.push(wall + " s wall");
    if (cpu) all.push(cpu + " s CPU");
    if (memory) all.push(smtpipe.bytes(memory) + " memory");
    if (cores) all.push(cores + (cores === 1 ? " core" : " cores"));
    return all.join(", ");
  }

  // others is a table with the runs of the same benchmark by all solvers.
  function others(page, d, i) {
    const c = d.columns, b = c.bench[i];
    let from = i, to = i;
    while (from > 0 && c.bench[from - 1] === b) from--;
    while (to < d.n && c.bench[to] === b) to++;
    const head = el("tr", {}), body = el("tbody", {});
    for (const [title, num] of [["Solver"], ["Answer"], ["Verdict"], ["Wall, s", 1], ["CPU, s", 1]].concat(c.memory ? [["Memory", 1]] : [], [["Ending"]])) {
      head.append(el("th", { scope: "col", class: num ? "num" : "", text: title }));
    }
    for (let k = from; k < to; k++) {
      const name = el("a", { href: smtpipe.runAddress(page, d, k), text: d.solvers[c.solver[k]].name });
      const verdict = d.verdicts[c.verdict[k]];
      const row = el("tr", {}, el("th", { scope: "row" }, name), el("td", { text: d.answers[c.answer[k]] || "–" }),
        el("td", { class: "v-" + verdict.replace(/[^a-z]/g, ""), text: verdict }),
        el("td", { class: "num", text: c.wall[k].toFixed(2) }), el("td", { class: "num", text: c.cpu[k].toFixed(2) }));
      if (c.memory) row.append(el("td", { class: "num", text: smtpipe.bytes(c.memory[k]) }));
      row.append(el("td", { text: d.endings[c.ending[k]] || "–" }));
      if (k === i) { row.className = "winner"; name.setAttribute("aria-current", "true"); }
      body.append(row);
    }
    const caption = el("caption", { text: "The same benchmark by all solvers" });
    return el("section", { class: "tablebox", tabindex: "0", "aria-label": caption.textContent }, el("table", {}, caption, el("thead", {}, head), body));
  }

  // showRun fills target with run i of division d. The box has the addresses of the data and pages as data attributes.
  smtpipe.showRun = async function (box, target, d, i) {
    const c = d.columns, b = c.bench[i], solver = d.solvers[c.solver[i]], path = d.path(b);
    const [facts, add] = factList();
    add("Solver", el("a", { href: root + "solvers/" + encodeURIComponent(solver.page) + ".html", text: solver.name }));
    add("Verdict", d.verdicts[c.verdict[i]] + (d.reasons[c.reason[i]] ? " (" + d.reasons[c.reason[i]] + ")" : ""));
    add("Status and answer", d.statuses[c.benchStatus[b]] + ", answered " + (d.answers[c.answer[i]] || "nothing"));
    add("Times", seconds(c.wall[i]) + " wall, " + seconds(c.cpu[i]) + " CPU");
    if (c.memory) add("Peak memory", smtpipe.bytes(c.memory[i]));
    const [origin, addOrigin] = factList();
    for (const k of d.commands || []) if (k.solver === solver.name) {
      addOrigin("Command", code((k.command || []).join(" ")));
      addOrigin("Program (SHA-256)", code(k.program_sha256));
      addOrigin("Archive (SHA-256)", code(k.archive_sha256));
    }
    const log = el("div", {});
    target.replaceChildren(facts, log, others(box.dataset.run, d, i), origin);
    target.dataset.of = String(i);
    const ending = d.endings[c.ending[i]];
    const wide = () => { add("Ending", ending); addOrigin("Limits", limits(d.wall_limit_s, 0, d.memory_limit_bytes, d.cores)); };
    if (!d.detail_rows) { wide(); return; }
    const part = Math.floor(i / d.detail_rows);
    try {
      const data = await smtpipe.load(box.dataset.detail + part + ".js", box.dataset.id + "/detail-" + part);
      if (target.dataset.of !== String(i)) return; // another run was chosen meanwhile
      const [key, ...at] = data.rows[i - data.first];
      const [script, out, err, text, note, outPage, errPage] = at.slice(0, 7).map((k) => data.texts[k]);
      const digest = (value, href) => href ? el("a", { href: root + href }, code(value)) : code(value);
      if (at.length > 7) {
        const [setting, exit, when, answered] = at.slice(7), s = data.settings[setting];
        if (answered >= 0) add("Answer after", seconds(answered) + " wall");
        add("Ending", [ending, exit].filter(Boolean).join(", "));
        add("Flags", s.flags);
        addOrigin("Limits", limits(s.wall_limit_s, s.cpu_limit_s, s.memory_limit_bytes, s.cores));
        addOrigin("Machine", s.hardware);
        addOrigin("Isolation", s.isolation);
        addOrigin("Measured", [when, s.measured_with && "smtpipe " + s.measured_with].filter(Boolean).join(", "));
      } else wide();
      add("Counts", note);
      addOrigin("Run key", code(key));
      addOrigin("Script (SHA-256)", code(script));
      addOrigin("Output (SHA-256)", digest(out, outPage));
      addOrigin("Error output (SHA-256)", digest(err, errPage));
      if (text) log.append(el("pre", { text, tabindex: "0", "aria-label": "Output" }));
      const name = smtpipe.quoted((box.dataset.stage ? box.dataset.stage + "::" : "") + path + "@" + solver.name);
      if (key) addOrigin("Take it home", code("smtpipe reproduce --site " + smtpipe.quoted(smtpipe.site()) + " " + name));
      if (key && box.dataset.stage) {
        for (const [title, flag] of [["Output", ""], ["Error output", "--stderr "], ["Script", "--script "]]) {
          addOrigin(title + " from the store", code("smtpipe logs " + flag + name));
        }
      }
    } catch (e) {
      log.append(el("p", { class: "notice", text: e.message }));
    }
  };

  const box = document.getElementById("run");
  if (!box) return;
  const say = (text) => box.replaceChildren(el("p", { class: "notice", text }));
  function show(d) {
    const want = new URLSearchParams(location.hash.slice(1)), benchmark = want.get("benchmark"), solver = want.get("solver");
    if (!benchmark || !solver) { say("This address names no run. The explorer lists all of them."); return; }
    const s = d.solvers.findIndex((x) => x.name === solver), b = d.benchmarks.findIndex((_, k) => d.path(k) === benchmark), c = d.columns;
    const i = s < 0 || b < 0 ? -1 : c.bench.findIndex((x, k) => x === b && c.solver[k] === s);
    if (i < 0) { say("The division has no run of " + solver + " on " + benchmark + "."); return; }
    document.title = solver + " on " + benchmark;
    const target = el("div", {});
    box.replaceChildren(el("h2", { class: "path-title", text: benchmark }), target);
    smtpipe.showRun(box, target, d, i);
  }
  smtpipe.runs(box.dataset.runs, box.dataset.id).then((d) => {
    box.removeAttribute("aria-busy");
    show(d);
    addEventListener("hashchange", () => { show(d); scrollTo(0, 0); });
  }, (err) => say(err.message));
})();

// The matrix of a track: a row for each benchmark, columns for each solver. Only the visible rows are in the page.
"use strict";
(function () {
  const box = document.getElementById("matrix");
  if (!box) return;
  const el = smtpipe.el, root = document.body.dataset.root, ROW = 28;
  const number = (n) => n.toLocaleString("en");
  const fail = (err) => { box.prepend(el("p", { class: "notice", role: "alert", text: err.message })); box.removeAttribute("aria-busy"); };

  smtpipe.load(box.dataset.index, box.dataset.id).then(start).catch(fail);

  function start(index) {
    const S = index.solvers.length, N = index.divisions.reduce((n, d) => n + d.benchmarks, 0);
    const table = (Type, fill) => Array.from({ length: S }, () => { const a = new Type(N); if (fill !== undefined) a.fill(fill); return a; });
    const code = table(Uint16Array), wall = table(Float32Array, NaN);
    const extra = {}; // columns of CPU time and memory, when they were asked for
    const division = new Uint16Array(N), status = new Uint16Array(N), family = new Uint32Array(N), ready = new Uint8Array(N);
    const paths = new Array(N), lower = new Array(N), solversOf = [];
    const statuses = [], kinds = [["", ""]], families = [], logics = [];
    const number1 = (list, same, value) => { let k = list.findIndex(same); if (k < 0) { k = list.length; list.push(value); } return k; };
    let at = 0;
    const firsts = index.divisions.map((d) => { const f = at; at += d.benchmarks; return f; });
    const hasMemory = index.divisions.some((d) => d.memory);

    function fill(k, d) {
      const first = firsts[k], column = smtpipe.column;
      const fam = column(d.bench_family, Uint32Array), st = column(d.bench_status, Uint16Array);
      const toStatus = d.statuses.map((s) => number1(statuses, (x) => x === s, s));
      const toKind = d.kinds.map((p) => number1(kinds, (x, i) => i > 0 && x[0] === p[0] && x[1] === p[1], p));
      const byKey = new Map(families.map((f, i) => [f.key, i]));
      const toFamily = d.families.map((f) => {
        const logic = d.logics[f.logic], key = JSON.stringify([logic, f.name]);
        if (!byKey.has(key)) {
          byKey.set(key, families.length);
          families.push({ key, name: f.name, logic: number1(logics, (x) => x === logic, logic) });
        }
        return byKey.get(key);
      });
      d.benchmarks.forEach((name, b) => {
        const i = first + b;
        paths[i] = d.families[fam[b]].folder + name;
        lower[i] = paths[i].toLowerCase();
        division[i] = k; status[i] = toStatus[st[b]]; family[i] = toFamily[fam[b]]; ready[i] = 1;
      });
      const answers = column(d.answer, Uint16Array), times = column(d.wall_s, Float32Array), n = d.solvers.length;
      d.solvers.forEach((s, c) => {
        for (let b = 0; b < d.benchmarks.length; b++) {
          const a = answers[b * n + c];
          code[s][first + b] = a === 0 ? 0 : toKind[a - 1];
          wall[s][first + b] = times[b * n + c];
        }
      });
      solversOf[k] = d.solvers;
    }
    const loadPart = (k, part) => smtpipe.load(root + index.divisions[k].data + part + ".js", index.divisions[k].id + part);
    // the value of a data file is given up when its columns are filled
    const load = async (k) => { fill(k, await loadPart(k, "answers")); smtpipe.forget(index.divisions[k].id + "answers"); };
    async function more(part) {
      if (extra[part]) return;
      extra[part] = table(Float32Array, NaN);
      for (let k = 0; k < index.divisions.length; k++) {
        if (part === "memory" && !index.divisions[k].memory) continue;
        if (!solversOf[k]) await loads[k];
        const values = smtpipe.column(await loadPart(k, part), Float32Array), n = solversOf[k].length;
        smtpipe.forget(index.divisions[k].id + part);
        solversOf[k].forEach((s, c) => { for (let b = 0; b < index.divisions[k].benchmarks; b++) extra[part][s][firsts[k] + b] = values[b * n + c]; });
      }
      apply(false);
    }

    // the state is what the address says
    let state;
    function read() {
      const p = new URLSearchParams(location.hash.slice(1));
      state = { hide: new Set(p.getAll("hide")), memory: hasMemory && p.get("memory") !== "no" };
      for (const k of ["q", "status", "division", "logic", "family", "solver", "answer", "show", "time", "a", "b"]) state[k] = p.get(k) || "";
      state.inFamily = p.has("family");
      state.sort = p.get("sort") || "benchmark";
      state.down = p.get("order") === "down";
    }
    function write() {
      const p = new URLSearchParams();
      for (const k of ["q", "status", "division", "logic", "solver", "answer", "show", "time", "a", "b"]) if (state[k]) p.set(k, state[k]);
      if (state.inFamily) p.set("family", state.family);
      for (const s of state.hide) p.append("hide", s);
      if (hasMemory && !state.memory) p.set("memory", "no");
      if (state.sort !== "benchmark") p.set("sort", state.sort);
      if (state.down) p.set("order", "down");
      history.replaceState(null, "", "#" + p.toString());
    }
    read();

    const query = el("input", { type: "search", autocomplete: "off", id: "m-q" });
    const labelled = (title, control) => el("label", {}, document.createTextNode(title), control);
    const chooser = (key) => { const s = el("select", { id: "m-" + key }); s.addEventListener("change", () => { state[key] = s.value; apply(true); }); return s; };
    const by = {}; for (const k of ["status", "division", "solver", "answer", "show", "time", "a", "b"]) by[k] = chooser(k);
    const SHOW = [["", "all"], ["disagree", "only where they disagree"], ["one", "only one solved"], ["none", "none solved"], ["every", "all solved"], ["wrong", "some wrong"]];
    const memoryBox = el("input", { type: "checkbox", id: "m-memory" });
    memoryBox.addEventListener("change", () => { state.memory = memoryBox.checked; apply(false); });
    const out = el("output", { "aria-live": "polite" });
    const csvButton = el("button", { type: "button", class: "plain", text: "As CSV", onclick: save });
    const reset = el("button", { type: "button", class: "plain", text: "Clear", onclick: () => { location.hash = ""; read(); apply(true); } });
    const filters = el("form", { class: "filters" }, labelled("Benchmark contains", query), labelled("Status", by.status),
      labelled("Division", by.division), labelled("Solver", by.solver), labelled("Answer or verdict", by.answer),
      labelled("Show", by.show), labelled("Time", by.time), labelled("Difference of", by.a), labelled("less", by.b));
    if (hasMemory) filters.append(el("label", { class: "check" }, memoryBox, document.createTextNode("Memory")));
    filters.append(csvButton, reset, out);
    filters.addEventListener("submit", (e) => e.preventDefault());
    let timer = 0;
    query.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => { state.q = query.value; apply(true); }, 120); });

    const solverList = el("div", { class: "checks" });
    index.solvers.forEach((s) => {
      const c = el("input", { type: "checkbox" });
      c.dataset.solver = s.name;
      c.addEventListener("change", () => { if (c.checked) state.hide.delete(s.name); else state.hide.add(s.name); apply(true); });
      solverList.append(el("label", { class: "check" }, c, document.createTextNode(s.name + (s.competitive ? "" : " (not competing)"))));
    });
    const tree = el("div", { class: "tree" });
    const sides = el("div", { class: "sides" }, el("details", {}, el("summary", { text: "Logics and families" }), tree),
      el("details", {}, el("summary", { text: "Solvers" }), solverList));
    const grid = el("div", { class: "grid", role: "grid", tabindex: "0", "aria-label": "Benchmarks and solvers", "aria-readonly": "true" });
    const groupRow = el("div", { class: "head groups", role: "row", "aria-rowindex": "1" });
    const headRow = el("div", { class: "head", role: "row", "aria-rowindex": "2" });
    const headBox = el("div", { class: "heads", role: "rowgroup" }, groupRow, headRow);
    const body = el("div", { class: "body", role: "rowgroup" });
    grid.append(headBox, body);
    box.replaceChildren(filters, sides, grid);

    // columns of the view
    let cols = [], shownSolvers = [], time = wall;
    const fixed = (x) => (Number.isNaN(x) ? "" : x.toFixed(2));
    const answerText = (k) => (k === 0 ? "" : (kinds[k][0] || "–") + (kinds[k][1] === "wrong" ? " (wrong)" : ""));
    function arrange() {
      const d = index.divisions.findIndex((x) => x.name === state.division);
      const here = d >= 0 && solversOf[d] ? new Set(solversOf[d]) : null;
      shownSolvers = index.solvers.map((_, s) => s).filter((s) => !state.hide.has(index.solvers[s].name) && (!here || here.has(s)));
      time = state.time === "cpu" && extra.cpu ? extra.cpu : wall;
      if (state.time === "cpu" && !extra.cpu) { more("cpu").catch(fail); time = extra.cpu; }
      if (state.memory && !extra.memory) more("memory").catch(fail);
      const unit = state.time === "cpu" ? "CPU time, s" : "Wall time, s", t = time;
      cols = [{ key: "benchmark", title: "Benchmark", name: "benchmark", text: (i) => paths[i] },
        { key: "status", title: "Status", name: "status", width: 5.5, text: (i) => statuses[status[i]] }];
      const a = index.solvers.findIndex((s) => s.name === state.a), b = index.solvers.findIndex((s) => s.name === state.b);
      if (a >= 0 && b >= 0) cols.push({ key: "difference", title: "Difference, s", num: true, width: 8, name: state.a + " - " + state.b + " (s)",
        value: (i) => t[a][i] - t[b][i], text: (i) => fixed(t[a][i] - t[b][i]) });
      for (const s of shownSolvers) {
        const name = index.solvers[s].name;
        cols.push({ key: "answer:" + name, solver: s, answer: true, title: "Answer", width: 6, name: name + " answer", text: (i) => answerText(code[s][i]) });
        cols.push({ key: "time:" + name, solver: s, num: true, title: unit, width: 7, name: name + " " + unit.replace("Wall", "wall").replace(", s", " (s)"), value: (i) => t[s][i], text: (i) => fixed(t[s][i]) });
        if (state.memory) {
          const m = extra.memory;
          cols.push({ key: "memory:" + name, solver: s, num: true, title: "Memory, MB", width: 7, name: name + " memory (MB)", value: (i) => m[s][i],
            text: (i) => (Number.isNaN(m[s][i]) ? "" : (m[s][i] / 1e6).toFixed(1)) });
        }
      }
      const wide = cols.reduce((w, c) => w + (c.width || 0), 0);
      grid.style.setProperty("--cols", "var(--first) " + cols.slice(1).map((c) => c.width + "rem").join(" "));
      grid.style.setProperty("--wide", "calc(var(--first) + " + wide + "rem)");
      grid.setAttribute("aria-colcount", String(cols.length));
      const groups = [];
      for (let k = 0; k < cols.length;) {
        let n = 1;
        while (k + n < cols.length && cols[k].solver !== undefined && cols[k + n].solver === cols[k].solver) n++;
        const g = el("span", { role: cols[k].solver === undefined ? "gridcell" : "columnheader", "aria-colindex": String(k + 1), "aria-colspan": String(n) });
        g.style.gridColumn = "span " + n;
        if (cols[k].solver !== undefined) {
          const s = index.solvers[cols[k].solver];
          g.append(el("a", { href: root + "solvers/" + encodeURIComponent(s.page) + ".html", text: s.name }));
        }
        groups.push(g);
        k += n;
      }
      groupRow.replaceChildren(...groups);
      const focused = headRow.contains(document.activeElement) ? document.activeElement.dataset.key : null;
      headRow.replaceChildren(...cols.map((c, k) => {
        const button = el("button", { type: "button", text: c.title, onclick: () => {
          state.down = state.sort === c.key ? !state.down : Boolean(c.num);
          state.sort = c.key;
          apply(true);
        } });
        button.dataset.key = c.key;
        const h = el("span", { role: "columnheader", "aria-colindex": String(k + 1), class: c.num ? "num" : "" }, button);
        if (c.key === state.sort) h.setAttribute("aria-sort", state.down ? "descending" : "ascending");
        return h;
      }));
      if (focused !== null) for (const b of headRow.querySelectorAll("button")) if (b.dataset.key === focused) b.focus();
    }

    // Filters. A count beside a choice is the number of rows that the other filters leave and the choice has.
    const Q = 1, STATUS = 2, DIVISION = 4, TREE = 8, ANSWER = 16, SHOWN = 32;
    let rows = new Uint32Array(0), counts;
    function filter() {
      const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
      const ws = statuses.indexOf(state.status), wd = index.divisions.findIndex((d) => d.name === state.division);
      const wl = logics.indexOf(state.logic), one = index.solvers.findIndex((s) => s.name === state.solver);
      const of = one >= 0 ? [one] : shownSolvers;
      const options = new Map(), optionsOf = kinds.map((k, i) => (i === 0 ? [] : ["a:" + k[0], "v:" + k[1]].map((o) => { if (!options.has(o)) options.set(o, options.size); return options.get(o); })));
      const wa = state.answer ? (options.has(state.answer) ? options.get(state.answer) : -2) : -1;
      const has = new Int32Array(options.size).fill(-1), perOption = new Uint32Array(options.size);
      const solved = kinds.map((k) => k[1] === "correct"), wrong = kinds.map((k) => k[1] === "wrong");
      const sat = kinds.map((k) => k[0] === "sat"), unsat = kinds.map((k) => k[0] === "unsat");
      counts = { status: new Uint32Array(statuses.length), division: new Uint32Array(N ? index.divisions.length : 0), logic: new Uint32Array(logics.length),
        family: new Uint32Array(families.length), show: {}, all: {}, options, perOption };
      for (const [k] of SHOW) counts.show[k] = 0;
      for (const k of ["status", "division", "tree", "answer"]) counts.all[k] = 0;
      const keep = [];
      for (let i = 0; i < N; i++) {
        if (!ready[i]) continue;
        let f = 0;
        for (const w of words) if (!lower[i].includes(w)) { f |= Q; break; }
        if (f) continue;
        if (state.status && status[i] !== ws) f |= STATUS;
        if (state.division && division[i] !== wd) f |= DIVISION;
        const fam = families[family[i]];
        if (state.logic && (fam.logic !== wl || (state.inFamily && fam.name !== state.family))) f |= TREE;
        let nSolved = 0, nRuns = 0, isSat = false, isUnsat = false, isWrong = false;
        for (const s of shownSolvers) {
          const k = code[s][i];
          if (k === 0) continue;
          nRuns++;
          if (solved[k]) nSolved++;
          if (wrong[k]) isWrong = true;
          if (sat[k]) isSat = true; else if (unsat[k]) isUnsat = true;
        }
        for (const s of of) for (const o of optionsOf[code[s][i]]) has[o] = i;
        if (wa !== -1 && (wa < 0 || has[wa] !== i)) f |= ANSWER;
        const kind = { "": true, disagree: isSat && isUnsat, one: nSolved === 1, none: nSolved === 0, every: nRuns > 0 && nSolved === nRuns, wrong: isWrong };
        if (!kind[state.show]) f |= SHOWN;
        if ((f & ~STATUS) === 0) { counts.status[status[i]]++; counts.all.status++; }
        if ((f & ~DIVISION) === 0) { counts.division[division[i]]++; counts.all.division++; }
        if ((f & ~TREE) === 0) { counts.logic[fam.logic]++; counts.family[family[i]]++; counts.all.tree++; }
        if ((f & ~ANSWER) === 0) { counts.all.answer++; for (let o = 0; o < has.length; o++) if (has[o] === i) perOption[o]++; }
        if ((f & ~SHOWN) === 0) for (const [k] of SHOW) if (kind[k]) counts.show[k]++;
        if (f === 0) keep.push(i);
      }
      rows = Uint32Array.from(keep);
    }
    const byText = (texts) => { // rank of each text; equal texts have one rank
      const sorted = Array.from(new Set(texts)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      const rank = new Map(sorted.map((t, k) => [t, k]));
      return texts.map((t) => rank.get(t));
    };
    function sort() {
      const col = cols.find((c) => c.key === state.sort) || cols[0], sign = state.down ? -1 : 1;
      const keys = new Float64Array(N);
      let value = col.value;
      if (col.key === "benchmark") { if (!state.down) return; value = (i) => i; }
      else if (col.key === "status") { const r = byText(statuses); value = (i) => r[status[i]]; }
      else if (col.answer) { const r = byText(kinds.map((_, k) => answerText(k))); value = (i) => (code[col.solver][i] === 0 ? NaN : r[code[col.solver][i]]); }
      for (const i of rows) { const v = value(i); keys[i] = Number.isNaN(v) ? Infinity : sign * v; }
      rows.sort((a, b) => { const x = keys[a], y = keys[b]; return x < y ? -1 : x > y ? 1 : a - b; });
    }

    const option = (value, text, n) => el("option", { value, text: n === undefined ? text : text + " (" + number(n) + ")" });
    function choices(select, value, list) {
      select.replaceChildren(...list);
      if (value && !list.some((o) => o.value === value || (o.tagName === "OPTGROUP" && Array.from(o.children).some((x) => x.value === value)))) select.append(option(value, value, 0));
      select.value = value;
    }
    function controls() {
      const sorted = (list) => list.map((t, k) => [t, k]).sort((x, y) => (x[0].toLowerCase() < y[0].toLowerCase() ? -1 : 1));
      if (document.activeElement !== query) query.value = state.q;
      choices(by.status, state.status, [option("", "all", counts.all.status), ...sorted(statuses).map(([t, k]) => option(t, t, counts.status[k]))]);
      choices(by.division, state.division, [option("", "all", counts.all.division), ...index.divisions.map((d, k) => option(d.name, d.name, counts.division[k]))]);
      const names = index.solvers.map((s) => option(s.name, s.name));
      choices(by.solver, state.solver, [option("", "any that is shown"), ...names]);
      choices(by.a, state.a, [option("", "–"), ...names.map((o) => o.cloneNode(true))]);
      choices(by.b, state.b, [option("", "–"), ...names.map((o) => o.cloneNode(true))]);
      const group = (label, prefix) => {
        const g = el("optgroup", { label });
        for (const [o, k] of sorted(Array.from(counts.options.keys()))) if (o.startsWith(prefix)) g.append(option(o, o.slice(2) || "none", counts.perOption[k]));
        return g;
      };
      choices(by.answer, state.answer, [option("", "all", counts.all.answer), group("Answer", "a:"), group("Verdict", "v:")]);
      choices(by.show, state.show, SHOW.map(([k, t]) => option(k, t, counts.show[k])));
      choices(by.time, state.time, [option("", "wall"), option("cpu", "CPU")]);
      memoryBox.checked = state.memory;
      for (const c of solverList.querySelectorAll("input")) c.checked = !state.hide.has(c.dataset.solver);
      drawTree(sorted);
    }
    const opened = new Set();
    function drawTree(sorted) {
      const focus = tree.contains(document.activeElement) ? document.activeElement.dataset.node : null;
      const choice = (text, n, chosen, logic, name) => {
        const b = el("button", { type: "button", class: "node", "aria-pressed": String(chosen), text: text + " (" + number(n) + ")", onclick: () => {
          state.logic = chosen ? "" : logic; state.inFamily = !chosen && name !== null; state.family = state.inFamily ? name : "";
          apply(true);
        } });
        b.dataset.node = JSON.stringify([logic, name]);
        return b;
      };
      const byLogic = logics.map(() => []);
      families.forEach((f, k) => byLogic[f.logic].push([f, k]));
      const items = sorted(logics).map(([logic, l]) => {
        const list = el("ul"), open = opened.has(logic) || (state.logic === logic && state.inFamily);
        const draw = () => {
          if (list.firstChild) return;
          byLogic[l].sort((x, y) => (x[0].name < y[0].name ? -1 : 1)).forEach(([f, k]) => list.append(el("li", {},
            choice(f.name || "(directly in the logic)", counts.family[k], state.logic === logic && state.inFamily && state.family === f.name, logic, f.name))));
        };
        const inner = el("details", {}, el("summary", { "aria-label": "Families of " + logic, text: number(byLogic[l].length) + (byLogic[l].length === 1 ? " family" : " families") }), list);
        if (open) { draw(); inner.open = true; }
        inner.addEventListener("toggle", () => { if (inner.open) { opened.add(logic); draw(); } else opened.delete(logic); });
        return el("li", {}, choice(logic, counts.logic[l], state.logic === logic && !state.inFamily, logic, null), inner);
      });
      tree.replaceChildren(el("ul", {}, ...items));
      if (focus) for (const b of tree.querySelectorAll("button")) if (b.dataset.node === focus) b.focus();
    }

    let current = -1, currentCol = 0, first = -1, last = -1;
    function apply(top) {
      if (!ready.includes(1)) return;
      arrange();
      filter();
      sort();
      controls();
      write();
      const loaded = index.divisions.filter((_, k) => solversOf[k]).length;
      out.textContent = number(rows.length) + " of " + number(N) + " benchmarks" + (loaded < index.divisions.length ? ", loading …" : "");
      grid.setAttribute("aria-rowcount", String(rows.length + 2));
      if (top) { current = -1; grid.removeAttribute("aria-activedescendant"); grid.scrollTop = 0; }
      paint(true);
    }
    const runHref = (i, s) => root + index.divisions[division[i]].run + "#" + new URLSearchParams({ benchmark: paths[i], solver: index.solvers[s].name });
    const MAX = Math.floor(15000000 / ROW); // browsers bound the height of an element
    function paint(force) {
      const shown = Math.min(rows.length, MAX);
      body.style.height = shown * ROW + "px";
      const from = Math.max(0, Math.floor(grid.scrollTop / ROW) - 8);
      const to = Math.min(shown, Math.ceil((grid.scrollTop + grid.clientHeight) / ROW) + 8);
      if (!force && from === first && to === last) return;
      first = from; last = to;
      const lines = [];
      for (let k = from; k < to; k++) lines.push(line(k));
      body.replaceChildren(...lines);
    }
    function line(k) {
      const i = rows[k], row = el("div", { class: "line" + (k === current ? " current" : ""), role: "row", "aria-rowindex": String(k + 3) });
      row.style.top = k * ROW + "px";
      cols.forEach((col, c) => {
        const text = col.text(i), cell = el("span", { role: c === 0 ? "rowheader" : "gridcell", "aria-colindex": String(c + 1), id: "m-" + k + "-" + c });
        if (c === 0) { cell.className = "path"; cell.title = text; const cut = text.lastIndexOf("/") + 1; cell.append(el("span", { class: "folder", text: text.slice(0, cut) }), el("span", { class: "name", text: text.slice(cut) })); }
        else if (col.answer && text) {
          const kind = kinds[code[col.solver][i]];
          cell.className = "v-" + kind[1].replace(/[^a-z]/g, "");
          cell.append(el("a", { href: runHref(i, col.solver), tabindex: "-1", title: kind[1], text }));
        } else cell.textContent = text;
        if (col.num) cell.classList.add("num");
        if (k === current && c === currentCol) cell.classList.add("here");
        row.append(cell);
      });
      return row;
    }
    function go(k, c) {
      current = Math.max(0, Math.min(rows.length - 1, k));
      currentCol = Math.max(0, Math.min(cols.length - 1, c));
      const top = current * ROW, view = grid.clientHeight - headBox.offsetHeight;
      if (top < grid.scrollTop) grid.scrollTop = top;
      else if (top + ROW > grid.scrollTop + view) grid.scrollTop = top + ROW - view;
      paint(true);
      const id = "m-" + current + "-" + currentCol, cell = document.getElementById(id);
      grid.setAttribute("aria-activedescendant", id);
      if (!cell || currentCol === 0) return;
      const left = cell.offsetLeft, pinned = body.querySelector(".path").offsetWidth;
      if (left - pinned < grid.scrollLeft) grid.scrollLeft = left - pinned;
      else if (left + cell.offsetWidth > grid.scrollLeft + grid.clientWidth) grid.scrollLeft = left + cell.offsetWidth - grid.clientWidth;
    }
    grid.addEventListener("scroll", () => requestAnimationFrame(() => paint(false)), { passive: true });
    new ResizeObserver(() => paint(true)).observe(grid);
    grid.addEventListener("keydown", (e) => {
      if (e.target !== grid || rows.length === 0) return;
      const page = Math.max(1, Math.floor(grid.clientHeight / ROW) - 3);
      const to = { ArrowDown: [current + 1, currentCol], ArrowUp: [current - 1, currentCol], PageDown: [current + page, currentCol], PageUp: [current - page, currentCol],
        Home: [0, currentCol], End: [rows.length - 1, currentCol], ArrowRight: [current, currentCol + 1], ArrowLeft: [current, currentCol - 1] }[e.key];
      if (to) { e.preventDefault(); go(to[0], to[1]); } else if (e.key === "Enter" && current >= 0) {
        const a = document.querySelector("#m-" + current + "-" + currentCol + " a");
        if (a) { e.preventDefault(); a.click(); }
      }
    });

    // CSV of the rows and columns of the view, with the texts of its cells; see the guide for the apostrophe.
    function csv() {
      const quote = (s) => (/[",\r\n]/.test(s) ? '"' + s.replaceAll('"', '""') + '"' : s);
      const safe = (s) => quote(/^[=+\-@|\u0000-\u001f]/.test(s) ? "'" + s : s);
      const parts = [cols.map((c) => safe(c.name)).join(",") + "\n"];
      for (const i of rows) parts.push(cols.map((c) => (c.num ? c.text(i) : safe(c.text(i)))).join(",") + "\n");
      return parts;
    }
    function save() {
      const href = URL.createObjectURL(new Blob(csv(), { type: "text/csv" }));
      el("a", { href, download: index.track + ".csv" }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60000);
    }
    window.addEventListener("hashchange", () => { read(); query.value = state.q; apply(true); });

    const wanted = index.divisions.findIndex((d) => d.name === state.division);
    const order = index.divisions.map((_, k) => k).sort((x, y) => Number(y === wanted) - Number(x === wanted) || x - y);
    const loads = [];
    let waiting = 0;
    query.value = state.q;
    for (const k of order) loads[k] = load(k).then(() => {
      if (first < 0) apply(true); else if (!waiting) waiting = setTimeout(() => { waiting = 0; apply(false); }, 300);
    });
    Promise.all(loads).then(() => { clearTimeout(waiting); apply(false); box.removeAttribute("aria-busy"); }).catch(fail);
  }
})();

// The run explorer: all runs of a division in a grid that keeps only the visible rows in the page.
"use strict";
(function () {
  const box = document.getElementById("explorer");
  if (!box) return;
  const el = smtpipe.el;
  const ROW = 28;

  smtpipe.runs(box.dataset.runs, box.dataset.id).then(start, (err) => {
    box.replaceChildren(el("p", { class: "notice", text: err.message }));
  });

  function start(d) {
    const c = d.columns;
    const paths = d.benchmarks.map((_, b) => d.path(b));
    const lower = paths.map((p) => p.toLowerCase());
    const rank = (list) => {
      const order = list.map((_, i) => i).sort((x, y) => (list[x] < list[y] ? -1 : list[x] > list[y] ? 1 : 0));
      const at = new Uint32Array(list.length);
      order.forEach((v, k) => { at[v] = k; });
      return at;
    };
    const solverNames = d.solvers.map((s) => s.name), solverRank = rank(solverNames);
    const answerRank = rank(d.answers), verdictRank = rank(d.verdicts), endingRank = rank(d.endings), reasonRank = rank(d.reasons), statusRank = rank(d.statuses);
    const logicOf = (i) => d.families[c.benchFamily[c.bench[i]]].logic;
    const columns = [
      { key: "benchmark", title: "Benchmark", width: "minmax(17rem, 1fr)", text: (i) => paths[c.bench[i]], value: (i) => c.bench[i] },
      { key: "solver", title: "Solver", width: "11rem", text: (i) => solverNames[c.solver[i]], value: (i) => solverRank[c.solver[i]] },
      { key: "status", title: "Status", width: "5.5rem", text: (i) => d.statuses[c.benchStatus[c.bench[i]]], value: (i) => statusRank[c.benchStatus[c.bench[i]]] },
      { key: "answer", title: "Answer", width: "6rem", text: (i) => d.answers[c.answer[i]] || "–", value: (i) => answerRank[c.answer[i]] },
      { key: "verdict", title: "Verdict", width: "7rem", text: (i) => d.verdicts[c.verdict[i]], value: (i) => verdictRank[c.verdict[i]] },
      { key: "ending", title: "Ending", width: "7rem", text: (i) => d.endings[c.ending[i]] || "–", value: (i) => endingRank[c.ending[i]] },
      { key: "wall", title: "Wall time, s", num: true, width: "7rem", text: (i) => c.wall[i].toFixed(2), value: (i) => c.wall[i] },
      { key: "cpu", title: "CPU time, s", num: true, width: "7rem", text: (i) => c.cpu[i].toFixed(2), value: (i) => c.cpu[i] },
    ];
    if (c.memory) columns.push({ key: "memory", title: "Memory", num: true, width: "6rem", text: (i) => smtpipe.bytes(c.memory[i]), value: (i) => c.memory[i] });
    // On a phone there is room for the benchmark, the solver, and what it said; the details of a run have the rest.
    if (matchMedia("(max-width: 40rem)").matches) {
      const room = { benchmark: "minmax(6rem, 1fr)", solver: "6rem", answer: "4.5rem", verdict: "5.5rem" };
      columns.splice(0, columns.length, ...columns.filter((k) => room[k.key]).map((k) => Object.assign(k, { width: room[k.key] })));
    }

    const hash = new URLSearchParams(location.hash.slice(1));
    const query = el("input", { type: "search", id: "q", autocomplete: "off" });
    query.value = hash.get("q") || "";
    const select = (name, title, values) => {
      const s = el("select", { id: "by-" + name });
      s.append(el("option", { value: "", text: "all" }));
      values.forEach(([v, t]) => s.append(el("option", { value: String(v), text: t })));
      const wanted = hash.get(name);
      if (wanted !== null) { const hit = values.find(([, t]) => t === wanted); if (hit) s.value = String(hit[0]); }
      s.addEventListener("change", apply);
      return [el("label", {}, document.createTextNode(title), s), s];
    };
    const sorted = (list, show) => list.map((v, i) => [i, show ? show(v) : v]).sort((a, b) => (String(a[1]).toLowerCase() < String(b[1]).toLowerCase() ? -1 : 1));
    const [solverLabel, bySolver] = select("solver", "Solver", sorted(d.solvers, (s) => s.name));
    const [logicLabel, byLogic] = select("logic", "Logic", sorted(d.logics));
    const [answerLabel, byAnswer] = select("answer", "Answer", sorted(d.answers, (a) => a || "(none)"));
    const [verdictLabel, byVerdict] = select("verdict", "Verdict", sorted(d.verdicts));
    const [endingLabel, byEnding] = select("ending", "Ending", sorted(d.endings, (a) => a || "(none)"));
    const countOut = el("output", { "aria-live": "polite" });
    const filters = el("form", { class: "filters" }, el("label", {}, document.createTextNode("Benchmark contains"), query), solverLabel);
    if (d.logics.length > 1) filters.append(logicLabel);
    filters.append(answerLabel, verdictLabel);
    if (d.endings.length > 1) filters.append(endingLabel);
    filters.append(countOut);
    filters.addEventListener("submit", (e) => e.preventDefault());

    let timer = 0;
    query.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(apply, 120); });

    const grid = el("div", { class: "grid", role: "grid", tabindex: "0", "aria-label": "Runs", "aria-colcount": String(columns.length) });
    grid.style.setProperty("--cols", columns.map((k) => k.width).join(" "));
    const headRow = el("div", { class: "head", role: "row" });
    let sortColumn = columns[0], descending = false;
    const heads = columns.map((col) => {
      const cell = el("span", { role: "columnheader" }, el("button", { type: "button", text: col.title, onclick: () => {
        descending = sortColumn === col ? !descending : Boolean(col.num);
        sortColumn = col;
        sort();
        paint(true);
      } }));
      if (col.num) cell.classList.add("num");
      headRow.append(cell);
      return cell;
    });
    const bodyBox = el("div", { class: "body", role: "rowgroup" });
    grid.append(headRow, bodyBox);
    const detailBox = el("section", { class: "detail", hidden: "", "aria-live": "polite", "aria-label": "Details of a run" });
    const view = el("div", { class: "runs" }, grid, detailBox);
    box.replaceChildren(filters, view);
    box.removeAttribute("aria-busy");

    let rows = new Uint32Array(0), current = -1;
    const all = Uint32Array.from({ length: d.n }, (_, i) => i);

    function apply() {
      const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
      const benchOK = words.length ? lower.map((p) => words.every((w) => p.includes(w))) : null;
      const want = (s) => (s.value === "" ? -1 : Number(s.value));
      const ws = want(bySolver), wl = want(byLogic), wa = want(byAnswer), wv = want(byVerdict), we = want(byEnding);
      rows = all.filter((i) => (!benchOK || benchOK[c.bench[i]]) && (ws < 0 || c.solver[i] === ws) && (wl < 0 || logicOf(i) === wl) &&
        (wa < 0 || c.answer[i] === wa) && (wv < 0 || c.verdict[i] === wv) && (we < 0 || c.ending[i] === we));
      countOut.textContent = rows.length.toLocaleString("en") + " of " + d.n.toLocaleString("en") + " runs";
      grid.setAttribute("aria-rowcount", String(rows.length + 1));
      const next = new URLSearchParams();
      if (query.value) next.set("q", query.value);
      for (const [s, k] of [[bySolver, "solver"], [byLogic, "logic"], [byAnswer, "answer"], [byVerdict, "verdict"], [byEnding, "ending"]]) {
        if (s.value !== "") next.set(k, s.selectedOptions[0].textContent);
      }
      history.replaceState(null, "", "#" + next.toString());
      current = -1;
      sort();
      grid.scrollTop = 0;
      paint(true);
    }

    function sort() {
      heads.forEach((h, k) => {
        if (columns[k] === sortColumn) h.setAttribute("aria-sort", descending ? "descending" : "ascending");
        else h.removeAttribute("aria-sort");
      });
      const value = sortColumn.value, sign = descending ? -1 : 1;
      const keys = new Float64Array(d.n);
      for (const i of rows) keys[i] = value(i);
      rows.sort((a, b) => sign * (keys[a] - keys[b]) || a - b);
    }

    // Browsers bound the height of an element; beyond that the rows are reached by filters.
    const MAX = Math.floor(15000000 / ROW);
    let first = -1, last = -1;
    function paint(force) {
      const shown = Math.min(rows.length, MAX);
      bodyBox.style.height = shown * ROW + "px";
      const from = Math.max(0, Math.floor(grid.scrollTop / ROW) - 8);
      const to = Math.min(shown, Math.ceil((grid.scrollTop + grid.clientHeight) / ROW) + 8);
      if (!force && from === first && to === last) return;
      first = from; last = to;
      const lines = [];
      for (let k = from; k < to; k++) lines.push(line(k));
      bodyBox.replaceChildren(...lines);
    }
    function line(k) {
      const i = rows[k];
      const row = el("div", { class: "line" + (k === current ? " current" : ""), role: "row", id: "row-" + k, "aria-rowindex": String(k + 2) });
      row.style.top = k * ROW + "px";
      for (const col of columns) {
        const cell = el("span", { role: "gridcell" });
        if (col.key === "benchmark") {
          const family = d.families[c.benchFamily[c.bench[i]]];
          cell.className = "path";
          cell.append(el("span", { class: "folder", text: family.folder }), el("span", { class: "name", text: d.benchmarks[c.bench[i]] }));
        } else cell.textContent = col.text(i);
        if (col.num) cell.classList.add("num");
        if (col.key === "verdict") cell.classList.add("v-" + d.verdicts[c.verdict[i]].replace(/[^a-z]/g, ""));
        if (col.key === "benchmark") cell.title = col.text(i);
        row.append(cell);
      }
      row.addEventListener("click", () => { choose(k); open(); });
      return row;
    }
    function choose(k) {
      current = Math.max(0, Math.min(rows.length - 1, k));
      const top = current * ROW, view = grid.clientHeight - headRow.offsetHeight;
      if (top < grid.scrollTop) grid.scrollTop = top;
      else if (top + ROW > grid.scrollTop + view) grid.scrollTop = top + ROW - view;
      grid.setAttribute("aria-activedescendant", "row-" + current);
      paint(true);
    }
    grid.addEventListener("scroll", () => requestAnimationFrame(() => paint(false)), { passive: true });
    new ResizeObserver(() => paint(true)).observe(grid);
    grid.addEventListener("keydown", (e) => {
      if (e.target !== grid || rows.length === 0) return;
      const page = Math.max(1, Math.floor(grid.clientHeight / ROW) - 2);
      const to = { ArrowDown: current + 1, ArrowUp: current - 1, PageDown: current + page, PageUp: current - page, Home: 0, End: rows.length - 1 }[e.key];
      if (to !== undefined) { e.preventDefault(); choose(to); } else if (e.key === "Enter" && current >= 0) { e.preventDefault(); open(); }
    });

    function open() {
      const i = rows[current];
      const close = el("button", { type: "button", class: "plain", text: "Close", onclick: shut });
      const address = el("a", { href: smtpipe.runAddress(box.dataset.run, d, i), text: "Page of this run" });
      const target = el("div", {});
      detailBox.replaceChildren(el("p", { class: "tools" }, address, close), el("h2", { class: "path-title", text: paths[c.bench[i]] }), target);
      detailBox.hidden = false;
      view.classList.add("open");
      smtpipe.showRun(box, target, d, i);
    }
    function shut() {
      detailBox.hidden = true;
      view.classList.remove("open");
      grid.focus({ preventScroll: true });
    }
    view.addEventListener("keydown", (e) => { if (e.key === "Escape" && !detailBox.hidden) shut(); });
    apply();
  }
})();

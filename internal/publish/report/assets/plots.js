// The plots of a division: cactus, memory, and two solvers against each other. They replace the pictures of the page when
// they come near to the view.
"use strict";
(function () {
  const box = document.querySelector(".plots[data-runs]");
  if (!box || typeof uPlot === "undefined") return;
  const el = smtpipe.el;
  const VBS = "VBS"; // the virtual best solver: for each benchmark the one that solves it in the least time
  const svg = (name, attributes) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [a, v] of Object.entries(attributes)) e.setAttribute(a, v);
    return e;
  };
  // styleOf gives the stroke and dashes of a line of the legend, which the style sheet knows.
  const styleOf = (line) => {
    const s = getComputedStyle(line);
    return { stroke: s.stroke, dash: s.strokeDasharray === "none" ? [] : s.strokeDasharray.split(",").map(parseFloat) };
  };
  const probe = box.appendChild(svg("svg", { width: 0, height: 0, "aria-hidden": "true" }));
  const colours = Array.from({ length: 9 }, (_, k) => styleOf(probe.appendChild(svg("line", { class: "c" + k }))).stroke);
  probe.remove();
  const ink = colours[8], gridInk = getComputedStyle(box.querySelector(".plot")).borderTopColor;

  let dataPromise = null;
  const runs = () => (dataPromise = dataPromise || smtpipe.runs(box.dataset.runs, box.dataset.id));

  // drawn plots; they follow the width of their boxes.
  const plots = [];
  const heightOf = (w) => Math.round(Math.max(280, Math.min(460, w * 0.72)));
  const observer = new ResizeObserver((entries) => {
    for (const e of entries) for (const p of plots) {
      const w = Math.floor(e.contentRect.width);
      if (p.target === e.target && w > 0 && Math.abs(p.plot.width - w) > 1) p.plot.setSize({ width: w, height: p.height(w) });
    }
  });

  function mount(target, options, data, square) {
    const width = Math.max(200, Math.floor(target.clientWidth));
    const height = square ? (w) => Math.round(Math.min(w, 520)) : heightOf;
    const old = plots.findIndex((p) => p.target === target);
    if (old >= 0) { plots[old].plot.destroy(); plots.splice(old, 1); }
    const plot = new uPlot(Object.assign({ width, height: height(width) }, options), data, target);
    plots.push({ target, plot, height });
    observer.observe(target);
    return plot;
  }

  const axis = (label, extra) => Object.assign({ label, stroke: ink, grid: { stroke: gridInk, width: 1 }, ticks: { stroke: gridInk, width: 1 }, font: "12px system-ui", labelFont: "12px system-ui", labelSize: 18 }, extra);
  const compact = (v) => v === null ? "" : v >= 1000 ? v.toLocaleString("en") : v >= 1 ? String(+v.toFixed(2)) : String(+v.toPrecision(2));

  // logLabels labels powers of ten, and where there are few, twice and five times these.
  function logLabels(u, splits) {
    const lead = (v) => Math.round(v / 10 ** Math.floor(Math.log10(v) + 1e-9));
    const few = splits.filter((v) => v !== null && lead(v) === 1).length < 3;
    return splits.map((v) => v !== null && (few ? [1, 2, 5] : [1]).includes(lead(v)) ? compact(v) : "");
  }

  function tooltip(target) {
    const tip = el("div", { class: "tip", hidden: "" });
    target.append(tip);
    return {
      show(text, x, y) {
        tip.textContent = text;
        tip.hidden = false;
        const w = target.clientWidth;
        tip.style.left = Math.max(0, Math.min(x + 12, w - tip.offsetWidth - 4)) + "px";
        tip.style.top = (y + 14) + "px";
      },
      hide() { tip.hidden = true; },
    };
  }

  // legend makes the entries of the page's legend buttons that hide lines, and returns the lines' names and styles.
  function legend(figure, plot) {
    const buttons = Array.from(figure.querySelectorAll(".legend button"));
    buttons.forEach((button, k) => {
      button.disabled = false;
      button.setAttribute("aria-pressed", "true");
      button.addEventListener("click", () => {
        const on = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(on));
        plot().setSeries(k + 1, { show: on });
      });
    });
    return [buttons.map((b) => b.textContent), buttons.map((b) => styleOf(b.querySelector("line")))];
  }

  function choice(label, options, onchange) {
    const select = el("select", {});
    for (const [value, text] of options) select.append(el("option", { value, text }));
    select.addEventListener("change", onchange);
    return [el("label", {}, document.createTextNode(label + " "), select), select];
  }

  // lineTip names the series nearest to the cursor of a plot of lines. near gives its place and that of the point.
  function lineTip(target, names, text) {
    const tip = tooltip(target);
    let near = null;
    return {
      near: () => near,
      hooks: {
        setCursor: [(u) => {
          const { left, top, idx } = u.cursor;
          near = null;
          if (idx == null || left < 0) { tip.hide(); return; }
          let best = -1, distance = 30;
          for (let s = 1; s < u.series.length; s++) {
            if (!u.series[s].show) continue;
            const v = u.data[s][idx];
            if (v == null) continue;
            const dy = Math.abs(u.valToPos(v, "y") - top);
            if (dy < distance) { distance = dy; best = s; }
          }
          u.over.style.cursor = best < 0 ? "crosshair" : "pointer";
          if (best < 0) { tip.hide(); return; }
          near = { series: best - 1, idx };
          tip.show(names[best - 1] + ": " + text(u.data[0][idx], u.data[best][idx]), left + u.bbox.left / devicePixelRatio, top + u.bbox.top / devicePixelRatio);
        }],
      },
    };
  }

  // fastest gives for each benchmark the correct run of least time, -1 if there is none.
  function fastest(d, times) {
    const c = d.columns, best = new Int32Array(d.benchmarks.length).fill(-1);
    for (let i = 0; i < d.n; i++) {
      const b = c.bench[i];
      if (c.verdict[i] === d.correct && (best[b] < 0 || times[i] < times[best[b]])) best[b] = i;
    }
    return best;
  }
  const go = (d, i) => { location.href = smtpipe.runAddress(box.dataset.run, d, i); };

  function cactus(figure, target, d) {
    let plot = null;
    const order = d.order, [names, styles] = legend(figure, () => plot);
    const [timeLabel, time] = choice("Time", [["wall", "wall"], ["cpu", "CPU"]], draw);
    const [scaleLabel, scale] = choice("Scale", [["log", "logarithmic"], ["linear", "linear"]], draw);
    figure.querySelector(".controls").append(timeLabel, scaleLabel);
    function draw() {
      const times = d.columns[time.value], c = d.columns;
      const per = d.solvers.map(() => []);
      for (let i = 0; i < d.n; i++) if (c.verdict[i] === d.correct) per[c.solver[i]].push(i);
      const lines = order.map((s) => per[s]).concat([Array.from(fastest(d, times)).filter((i) => i >= 0)]);
      let most = 1;
      for (const runs of lines) { runs.sort((a, b) => times[a] - times[b]); most = Math.max(most, runs.length); }
      const x = Array.from({ length: most }, (_, i) => i + 1);
      const data = [x].concat(lines.map((runs) => x.map((_, i) => i < runs.length ? Math.max(times[runs[i]], 0.001) : null)));
      target.replaceChildren();
      const tip = lineTip(target, names, (n, t) => n + " solved within " + compact(t) + " s");
      plot = mount(target, {
        legend: { show: false }, cursor: { drag: { x: true, y: false } },
        scales: { x: { time: false, range: (u, lo, hi) => [lo === 1 ? 0 : lo, hi] }, y: { distr: scale.value === "log" ? 3 : 1, log: 10 } },
        axes: [axis("benchmarks solved"), axis("seconds (" + (time.value === "cpu" ? "CPU" : "wall") + " time)", { size: 62, values: scale.value === "log" ? logLabels : undefined })],
        series: [{}].concat(names.map((name, k) => Object.assign({ label: name, width: 2, points: { show: false }, spanGaps: false }, styles[k]))),
        hooks: tip.hooks,
      }, data);
      plot.over.addEventListener("click", () => { const at = tip.near(); if (at) go(d, lines[at.series][at.idx]); });
    }
    draw();
  }

  function memory(figure, target, d) {
    const c = d.columns;
    if (!c.memory) { figure.remove(); return; }
    let plot = null;
    const order = d.order, [names, styles] = legend(figure, () => plot);
    const per = d.solvers.map(() => []);
    let lo = Infinity, hi = 0;
    for (let i = 0; i < d.n; i++) {
      const m = c.memory[i] / 1e6;
      if (!(m > 0)) continue;
      per[c.solver[i]].push(m);
      lo = Math.min(lo, m); hi = Math.max(hi, m);
    }
    if (!(hi > 0)) { figure.remove(); return; }
    const steps = 300, x = Array.from({ length: steps + 1 }, (_, i) => lo * Math.pow(hi / lo || 1, i / steps) || lo);
    const data = [x].concat(order.map((s) => {
      const p = per[s].sort((a, b) => a - b);
      let k = 0;
      return x.map((v) => { while (k < p.length && p[k] <= v * (1 + 1e-12)) k++; return p.length ? 100 * k / p.length : null; });
    }));
    target.replaceChildren();
    const tip = lineTip(target, names, (m, share) => compact(share) + " % of the runs need at most " + compact(m) + " MB");
    plot = mount(target, {
      legend: { show: false },
      scales: { x: { time: false, distr: 3, log: 10 }, y: { range: [0, 100] } },
      axes: [axis("peak memory, MB", { values: logLabels }), axis("runs, %", { size: 48 })],
      series: [{}].concat(names.map((name, k) => Object.assign({ label: name, width: 2, points: { show: false } }, styles[k]))),
      hooks: tip.hooks,
    }, data);
    plot.over.addEventListener("click", () => {
      const at = tip.near();
      if (at) location.href = box.dataset.explorer + "#" + new URLSearchParams({ solver: d.solvers[order[at.series]].name });
    });
  }

  // mark draws a point: a cross for unsat, a square for a wrong answer, a circle for sat and any other.
  function mark(g, p, size) {
    const r = size / 1.6;
    g.beginPath();
    if (p.kind === "wrong") {
      g.fillStyle = colours[1];
      g.fillRect(p.px - size, p.py - size, 2 * size, 2 * size);
    } else if (p.kind === "unsat") {
      g.strokeStyle = colours[2];
      g.moveTo(p.px - r, p.py - r); g.lineTo(p.px + r, p.py + r);
      g.moveTo(p.px - r, p.py + r); g.lineTo(p.px + r, p.py - r);
      g.stroke();
    } else {
      g.fillStyle = colours[0];
      g.arc(p.px, p.py, r, 0, 7);
      g.fill();
    }
  }

  function scatter(figure, target, d) {
    const order = d.order, c = d.columns;
    if (order.length < 2) { figure.remove(); return; }
    const options = order.map((s) => [String(s), d.solvers[s].name]).concat([["-1", VBS]]);
    const [xLabel, xs] = choice("Across", options, draw);
    const [yLabel, ys] = choice("Up", options, draw);
    xs.value = String(d.pair[0]);
    ys.value = String(d.pair[1]);
    const [timeLabel, time] = choice("Time", [["wall", "wall"], ["cpu", "CPU"]], draw);
    figure.querySelector(".controls").append(xLabel, yLabel, timeLabel);
    const note = figure.querySelector(".note");
    const ok = (i) => i >= 0 && c.verdict[i] === d.correct, bad = (i) => i >= 0 && c.verdict[i] === d.wrong;
    // runsOf gives the runs of a solver by benchmark, -1 where it has none; of the VBS, those that solve.
    function runsOf(s, times) {
      if (s < 0) return fastest(d, times);
      const runs = new Int32Array(d.benchmarks.length).fill(-1);
      for (let i = 0; i < d.n; i++) if (c.solver[i] === s) runs[c.bench[i]] = i;
      return runs;
    }
    function draw() {
      const a = Number(xs.value), b = Number(ys.value), times = c[time.value];
      const nameOf = (s) => s < 0 ? VBS : d.solvers[s].name;
      const limit = Math.max(d.wall_limit_s || 0, 1), floor = 0.01;
      const runsA = runsOf(a, times), runsB = runsOf(b, times), points = [];
      let onlyA = 0, onlyB = 0, both = 0, high = limit;
      for (let k = 0; k < runsA.length; k++) {
        const i = runsA[k], j = runsB[k];
        if ((i < 0 && a >= 0) || (j < 0 && b >= 0)) continue;
        const okA = ok(i), okB = ok(j);
        if (!okA && !okB && !bad(i) && !bad(j)) continue;
        if (okA && okB) both++; else if (okA) onlyA++; else if (okB) onlyB++;
        const tx = okA ? Math.max(times[i], floor) : Infinity, ty = okB ? Math.max(times[j], floor) : Infinity;
        if (okA) high = Math.max(high, tx);
        if (okB) high = Math.max(high, ty);
        const answer = okA || okB ? d.answers[c.answer[okA ? i : j]] : "";
        points.push({ run: i >= 0 ? i : j, k, tx, ty, kind: bad(i) || bad(j) ? "wrong" : answer || "wrong" });
      }
      const edge = high * 1.6;
      for (const p of points) { p.x = Number.isFinite(p.tx) ? p.tx : edge; p.y = Number.isFinite(p.ty) ? p.ty : edge; }
      target.replaceChildren();
      const tip = tooltip(target);
      let grid = null, near = null;
      const plot = mount(target, {
        legend: { show: false }, cursor: { drag: { x: false, y: false }, points: { show: false } },
        scales: { x: { time: false, distr: 3, log: 10, range: [floor * 0.8, edge * 1.3] }, y: { distr: 3, log: 10, range: [floor * 0.8, edge * 1.3] } },
        axes: [axis(nameOf(a) + ", seconds", { values: logLabels }), axis(nameOf(b) + ", seconds", { values: logLabels, size: 62 })],
        series: [{}, { show: true, paths: () => null, points: { show: false } }],
        hooks: {
          draw: [(u) => {
            const g = u.ctx, px = devicePixelRatio, size = (points.length > 5000 ? 2.4 : 4) * px;
            g.save();
            g.beginPath();
            g.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
            g.clip();
            g.strokeStyle = ink;
            g.globalAlpha = 0.6;
            g.lineWidth = 1.5 * px;
            const line = (x1, y1, x2, y2, dash) => { g.setLineDash(dash); g.beginPath(); g.moveTo(u.valToPos(x1, "x", true), u.valToPos(y1, "y", true)); g.lineTo(u.valToPos(x2, "x", true), u.valToPos(y2, "y", true)); g.stroke(); };
            line(floor, floor, edge, edge, []);
            line(high, floor * 0.8, high, edge * 1.3, [4 * px, 4 * px]);
            line(floor * 0.8, high, edge * 1.3, high, [4 * px, 4 * px]);
            g.setLineDash([]);
            grid = new Map();
            for (const p of points) {
              p.px = u.valToPos(p.x, "x", true);
              p.py = u.valToPos(p.y, "y", true);
              g.globalAlpha = points.length > 3000 ? 0.45 : 0.65;
              mark(g, p, size);
              const key = (Math.floor(p.px / (16 * px)) << 12) | Math.floor(p.py / (16 * px));
              const cell = grid.get(key);
              if (cell) cell.push(p); else grid.set(key, [p]);
            }
            g.restore();
          }],
          setCursor: [(u) => {
            near = null;
            const px = devicePixelRatio, cx = u.cursor.left * px + u.bbox.left, cy = u.cursor.top * px + u.bbox.top;
            if (u.cursor.left < 0 || !grid) { tip.hide(); return; }
            let best = Math.pow(12 * px, 2);
            const gx = Math.floor(cx / (16 * px)), gy = Math.floor(cy / (16 * px));
            for (let ax = gx - 1; ax <= gx + 1; ax++) for (let ay = gy - 1; ay <= gy + 1; ay++) {
              for (const p of grid.get((ax << 12) | ay) || []) {
                const q = Math.pow(p.px - cx, 2) + Math.pow(p.py - cy, 2);
                if (q < best) { best = q; near = p; }
              }
            }
            u.over.style.cursor = near ? "pointer" : "crosshair";
            if (!near) { tip.hide(); return; }
            const say = (t) => Number.isFinite(t) ? compact(t) + " s" : "not solved";
            tip.show(d.path(near.k) + " (" + near.kind + ") — " + nameOf(a) + ": " + say(near.tx) + ", " + nameOf(b) + ": " + say(near.ty), u.cursor.left + u.bbox.left / px, u.cursor.top + u.bbox.top / px);
          }],
        },
      }, [[floor, edge], [null, null]], true);
      plot.over.addEventListener("click", () => { if (near) go(d, near.run); });
      note.textContent = both.toLocaleString("en") + " solved by both, " + onlyA.toLocaleString("en") + " only by " + nameOf(a) + ", " + onlyB.toLocaleString("en") + " only by " + nameOf(b) +
        ". A cross is an unsat answer, a square a wrong one, a circle any other. The dashed lines are the limit.";
    }
    draw();
  }

  const makers = { cactus, memory, scatter };
  const watch = new IntersectionObserver((entries) => {
    for (const e of entries) {
      if (!e.isIntersecting) continue;
      watch.unobserve(e.target);
      const figure = e.target, target = figure.querySelector(".canvas");
      runs().then((d) => {
        makers[figure.dataset.plot](figure, target, d);
        figure.dataset.drawn = "true";
      }, (err) => { figure.append(el("p", { class: "notice", text: err.message })); });
    }
  }, { rootMargin: "300px" });
  for (const figure of box.querySelectorAll("figure[data-plot]")) watch.observe(figure);
})();

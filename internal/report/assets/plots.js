// The plots of a division: cactus, memory, and two solvers against each other. They replace the pictures of the page when
// they come near to the view.
"use strict";
(function () {
  const box = document.querySelector(".plots[data-runs]");
  if (!box || typeof uPlot === "undefined") return;
  const el = smtpipe.el;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const ink = dark ? "#e6edf3" : "#1b1f24";
  const gridInk = dark ? "#30363d" : "#d0d7de";
  // Okabe and Ito's colours, which the common kinds of colour blindness tell apart; beyond eight, dashes differ.
  const colours = dark
    ? ["#56B4E9", "#E69F00", "#2fc79a", "#F0E442", "#ff8c42", "#CC79A7", "#e6edf3", "#8fa8ff"]
    : ["#0072B2", "#D55E00", "#009E73", "#8a2f6b", "#56B4E9", "#b07800", "#1b1f24", "#CC79A7"];
  const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
  const style = (k) => ({ stroke: colours[k % colours.length], dash: dashes[Math.floor(k / colours.length) % dashes.length] });

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

  function decades(u, splits) {
    return splits.map((v) => v === null ? null : (Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9 ? v : null));
  }
  const timeLabels = (u, splits) => decades(u, splits).map((v) => v === null ? "" : compact(v));

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

  function legend(figure, names, plot) {
    const list = figure.querySelector(".legend");
    list.replaceChildren();
    names.forEach((name, k) => {
      const s = style(k);
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
      for (const [a, v] of Object.entries({ x1: 0, x2: 28, y1: 5, y2: 5, stroke: s.stroke, "stroke-width": 3, "stroke-dasharray": s.dash.join(" ") || "none" })) line.setAttribute(a, v);
      svg.append(line);
      svg.setAttribute("aria-hidden", "true");
      const button = el("button", { type: "button", "aria-pressed": "true" }, svg, document.createTextNode(name));
      button.addEventListener("click", () => {
        const on = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(on));
        plot().setSeries(k + 1, { show: on });
      });
      list.append(el("li", {}, button));
    });
  }

  // byName gives solvers in the order of their names, which is the order of their colours everywhere.
  function byName(d) {
    return d.solvers.map((s, i) => i).sort((a, b) => {
      const x = d.solvers[a].name.toLowerCase(), y = d.solvers[b].name.toLowerCase();
      return x < y ? -1 : x > y ? 1 : d.solvers[a].name < d.solvers[b].name ? -1 : 1;
    });
  }

  function choice(label, options, onchange) {
    const select = el("select", {});
    for (const [value, text] of options) select.append(el("option", { value, text }));
    select.addEventListener("change", onchange);
    return [el("label", {}, document.createTextNode(label + " "), select), select];
  }

  // nearest series under the cursor of a plot of lines.
  function lineTip(target, names, text) {
    const tip = tooltip(target);
    return {
      hooks: {
        setCursor: [(u) => {
          const { left, top, idx } = u.cursor;
          if (idx == null || left < 0) { tip.hide(); return; }
          let best = -1, distance = 30;
          for (let s = 1; s < u.series.length; s++) {
            if (!u.series[s].show) continue;
            const v = u.data[s][idx];
            if (v == null) continue;
            const dy = Math.abs(u.valToPos(v, "y") - top);
            if (dy < distance) { distance = dy; best = s; }
          }
          if (best < 0) { tip.hide(); return; }
          tip.show(names[best - 1] + ": " + text(u.data[0][idx], u.data[best][idx]), left + u.bbox.left / devicePixelRatio, top + u.bbox.top / devicePixelRatio);
        }],
      },
    };
  }

  function cactus(figure, target, d) {
    const order = byName(d), names = order.map((s) => d.solvers[s].name);
    let plot = null;
    const [timeLabel, time] = choice("Time", [["wall", "wall"], ["cpu", "CPU"]], draw);
    const [scaleLabel, scale] = choice("Scale", [["log", "logarithmic"], ["linear", "linear"]], draw);
    figure.querySelector(".controls").append(timeLabel, scaleLabel);
    function draw() {
      const times = d.columns[time.value], c = d.columns;
      const per = d.solvers.map(() => []);
      for (let i = 0; i < d.n; i++) if (c.verdict[i] === d.correct) per[c.solver[i]].push(Math.max(times[i], 0.001));
      let most = 1;
      for (const p of per) { p.sort((a, b) => a - b); most = Math.max(most, p.length); }
      const x = Array.from({ length: most }, (_, i) => i + 1);
      const data = [x].concat(order.map((s) => { const p = per[s]; return x.map((_, i) => i < p.length ? p[i] : null); }));
      target.replaceChildren();
      const tip = lineTip(target, names, (n, t) => n + " solved within " + compact(t) + " s");
      plot = mount(target, {
        legend: { show: false }, cursor: { drag: { x: true, y: false } },
        scales: { x: { time: false, range: (u, lo, hi) => [lo === 1 ? 0 : lo, hi] }, y: { distr: scale.value === "log" ? 3 : 1, log: 10 } },
        axes: [axis("benchmarks solved"), axis("seconds (" + (time.value === "cpu" ? "CPU" : "wall") + " time)", { size: 62, values: scale.value === "log" ? timeLabels : undefined })],
        series: [{}].concat(names.map((name, k) => Object.assign({ label: name, width: 2, points: { show: false }, spanGaps: false }, style(k)))),
        hooks: tip.hooks,
      }, data);
    }
    draw();
    legend(figure, names, () => plot);
  }

  function memory(figure, target, d) {
    const c = d.columns;
    if (!c.memory) { figure.remove(); return; }
    const order = byName(d), names = order.map((s) => d.solvers[s].name);
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
    const plot = mount(target, {
      legend: { show: false },
      scales: { x: { time: false, distr: 3, log: 10 }, y: { range: [0, 100] } },
      axes: [axis("peak memory, MB", { values: timeLabels }), axis("runs, %", { size: 48 })],
      series: [{}].concat(names.map((name, k) => Object.assign({ label: name, width: 2, points: { show: false } }, style(k)))),
      hooks: tip.hooks,
    }, data);
    legend(figure, names, () => plot);
  }

  function scatter(figure, target, d) {
    const order = byName(d), c = d.columns;
    if (order.length < 2) { figure.remove(); return; }
    const options = order.map((s) => [String(s), d.solvers[s].name]);
    const [xLabel, xs] = choice("Across", options, draw);
    const [yLabel, ys] = choice("Up", options, draw);
    xs.value = String(d.pair[0]);
    ys.value = String(d.pair[1]);
    const [timeLabel, time] = choice("Time", [["wall", "wall"], ["cpu", "CPU"]], draw);
    figure.querySelector(".controls").append(xLabel, yLabel, timeLabel);
    const note = figure.querySelector(".note");
    function draw() {
      const a = Number(xs.value), b = Number(ys.value), times = c[time.value];
      const limit = Math.max(d.wall_limit_s || 0, 1), floor = 0.01;
      const rowA = new Map();
      const points = [];
      for (let i = 0; i < d.n; i++) if (c.solver[i] === a) rowA.set(c.bench[i], i);
      let onlyA = 0, onlyB = 0, both = 0, high = limit;
      for (let j = 0; j < d.n; j++) {
        if (c.solver[j] !== b) continue;
        const i = rowA.get(c.bench[j]);
        if (i === undefined) continue;
        const okA = c.verdict[i] === d.correct, okB = c.verdict[j] === d.correct;
        if (!okA && !okB && c.verdict[i] !== d.wrong && c.verdict[j] !== d.wrong) continue;
        if (okA && okB) both++; else if (okA) onlyA++; else if (okB) onlyB++;
        const tx = okA ? Math.max(times[i], floor) : Infinity, ty = okB ? Math.max(times[j], floor) : Infinity;
        if (okA) high = Math.max(high, tx);
        if (okB) high = Math.max(high, ty);
        points.push({ i, j, tx, ty, bad: c.verdict[i] === d.wrong || c.verdict[j] === d.wrong });
      }
      const edge = high * 1.6;
      for (const p of points) { p.x = Number.isFinite(p.tx) ? p.tx : edge; p.y = Number.isFinite(p.ty) ? p.ty : edge; }
      target.replaceChildren();
      const tip = tooltip(target);
      let grid = null, near = null;
      const plot = mount(target, {
        legend: { show: false }, cursor: { drag: { x: false, y: false }, points: { show: false } },
        scales: { x: { time: false, distr: 3, log: 10, range: [floor * 0.8, edge * 1.3] }, y: { distr: 3, log: 10, range: [floor * 0.8, edge * 1.3] } },
        axes: [axis(d.solvers[a].name + ", seconds", { values: timeLabels }), axis(d.solvers[b].name + ", seconds", { values: timeLabels, size: 62 })],
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
              g.fillStyle = p.bad ? colours[1] : colours[0];
              g.globalAlpha = points.length > 3000 ? 0.45 : 0.65;
              if (p.bad) g.fillRect(p.px - size, p.py - size, 2 * size, 2 * size);
              else { g.beginPath(); g.arc(p.px, p.py, size / 1.6, 0, 7); g.fill(); }
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
            tip.show(d.path(c.bench[near.i]) + " — " + d.solvers[a].name + ": " + say(near.tx) + ", " + d.solvers[b].name + ": " + say(near.ty), u.cursor.left + u.bbox.left / px, u.cursor.top + u.bbox.top / px);
          }],
        },
      }, [[floor, edge], [null, null]], true);
      plot.over.addEventListener("click", () => {
        if (near) location.href = box.dataset.explorer + "#q=" + encodeURIComponent(d.path(c.bench[near.i]));
      });
      note.textContent = both.toLocaleString("en") + " solved by both, " + onlyA.toLocaleString("en") + " only by " + d.solvers[a].name + ", " + onlyB.toLocaleString("en") + " only by " + d.solvers[b].name + ". The dashed lines are the limit; a square marks a wrong answer.";
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

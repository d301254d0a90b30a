// Data files are scripts that call smtpipe.put; this loads them and reads their columns.
"use strict";
var smtpipe = (function () {
  const values = new Map();
  const waiting = new Map();

  function put(id, value) {
    values.set(id, value);
    const done = waiting.get(id);
    if (done) { waiting.delete(id); done(value); }
  }

  // load gives the value of a data file; each is loaded once.
  const loads = new Map();
  function load(src, id) {
    if (!loads.has(id)) {
      loads.set(id, new Promise((resolve, reject) => {
        if (values.has(id)) { resolve(values.get(id)); return; }
        waiting.set(id, resolve);
        const script = document.createElement("script");
        script.src = src;
        script.onerror = () => reject(new Error("The data file " + src + " cannot be loaded."));
        document.head.append(script);
      }));
    }
    return loads.get(id);
  }

  function column(text, Type) {
    const raw = atob(text);
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return new Type(bytes.buffer);
  }

  // runs gives the columns of the runs of a division.
  async function runs(src, id) {
    const d = await load(src, id);
    if (d.columns) return d;
    d.columns = {
      bench: column(d.bench, Uint32Array), solver: column(d.solver, Uint16Array), answer: column(d.answer, Uint8Array),
      verdict: column(d.verdict, Uint8Array), ending: column(d.ending, Uint8Array), reason: column(d.reason, Uint16Array),
      wall: column(d.wall_s, Float64Array), cpu: column(d.cpu_s, Float64Array),
      memory: d.memory_bytes ? column(d.memory_bytes, Float64Array) : null,
      benchFamily: column(d.bench_family, Uint32Array), benchStatus: column(d.bench_status, Uint8Array),
    };
    for (const k of ["bench", "solver", "answer", "verdict", "ending", "reason", "wall_s", "cpu_s", "memory_bytes", "bench_family", "bench_status"]) delete d[k];
    d.path = (b) => d.families[d.columns.benchFamily[b]].folder + d.benchmarks[b];
    d.correct = d.verdicts.indexOf("correct");
    d.wrong = d.verdicts.indexOf("wrong");
    return d;
  }

  // site is the name of this site for smtpipe: its folder or address. quoted is a word for a shell.
  function site() {
    const at = new URL(document.body.dataset.root || "./", location.href);
    return at.protocol === "file:" ? decodeURIComponent(at.pathname) : at.href;
  }
  const quoted = (word) => "'" + word.replaceAll("'", "'\\''") + "'";

  function el(tag, attrs, ...children) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attrs || {})) {
      if (k === "class") e.className = v;
      else if (k === "text") e.textContent = v;
      else if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
      else e.setAttribute(k, v);
    }
    e.append(...children);
    return e;
  }

  function bytes(n) {
    const units = ["B", "kB", "MB", "GB", "TB"];
    let i = 0;
    while (n >= 999.5 && i < units.length - 1) { n /= 1000; i++; }
    return (i === 0 ? n : n.toPrecision(3)) + " " + units[i];
  }

  // runAddress gives that of the page of run i of division d; page is the data-run of a box.
  const runAddress = (page, d, i) =>
    page + "#" + new URLSearchParams({ benchmark: d.path(d.columns.bench[i]), solver: d.solvers[d.columns.solver[i]].name });

  // forget gives up the value of a data file that was turned into columns; it is not loaded again.
  function forget(id) { values.delete(id); loads.delete(id); }

  for (const place of document.querySelectorAll("[data-site]")) place.textContent = quoted(site());

  return { put, load, forget, column, runs, runAddress, el, bytes, site, quoted };
})();

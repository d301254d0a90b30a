// Searches the sections of index.js for all words of the field. A section with the words in its heading comes first.
"use strict";
(() => {
  const form = document.querySelector("form"), field = form.querySelector("input");
  const box = document.querySelector(".found"), note = box.querySelector("p"), list = box.querySelector("ol");
  const root = document.body.dataset.root, most = 25, around = 90;
  form.hidden = false;

  // mark puts a text into an element, with the words marked.
  const mark = (element, text, words) => {
    let at = 0;
    const lower = text.toLowerCase();
    for (;;) {
      let next = -1, length = 0;
      for (const w of words) {
        const i = lower.indexOf(w, at);
        if (i >= 0 && (next < 0 || i < next)) [next, length] = [i, w.length];
      }
      if (next < 0) break;
      element.append(text.slice(at, next));
      const m = document.createElement("mark");
      m.textContent = text.slice(next, next + length);
      element.append(m);
      at = next + length;
    }
    element.append(text.slice(at));
  };

  const score = (s, words) => {
    const title = (s.p + " " + s.t).toLowerCase(), text = s.x.toLowerCase();
    let sum = 0;
    for (const w of words) {
      if (title.includes(w)) sum += 100;
      const times = text.split(w).length - 1;
      if (times === 0 && !title.includes(w)) return 0;
      sum += Math.min(times, 10);
    }
    return sum;
  };

  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.replaceChildren();
    box.hidden = words.length === 0;
    if (box.hidden) return;
    const found = sections.map((s) => [score(s, words), s]).filter(([n]) => n > 0).sort((a, b) => b[0] - a[0]);
    note.textContent = found.length === 0 ? "Nothing has all of these words." :
      found.length > most ? `${found.length} sections; the first ${most}:` : `${found.length} sections:`;
    for (const [, s] of found.slice(0, most)) {
      const item = document.createElement("li"), a = document.createElement("a"), small = document.createElement("small");
      a.href = root + s.u;
      mark(a, s.p === s.t ? s.t : s.p + ": " + s.t, words);
      const lower = s.x.toLowerCase();
      const at = Math.max(0, Math.min(...words.map((w) => lower.indexOf(w)).filter((i) => i >= 0), s.x.length) - around);
      mark(small, (at > 0 ? "… " : "") + s.x.slice(at, at + 2 * around + 40), words);
      item.append(a, small);
      list.append(item);
    }
  };

  field.addEventListener("input", show);
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const first = list.querySelector("a");
    if (first) first.click();
  });
  list.addEventListener("click", () => { box.hidden = true; });
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && document.activeElement !== field) {
      e.preventDefault();
      field.focus();
    }
    if (e.key === "Escape") { field.value = ""; show(); }
  });
})();

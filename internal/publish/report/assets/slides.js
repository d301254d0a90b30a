// Keys turn the slides: arrows, space, Page Up and Page Down, Home and End.
"use strict";
(function () {
  const slides = Array.from(document.querySelectorAll(".slide"));
  const steps = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -slides.length, End: slides.length };
  addEventListener("keydown", (e) => {
    const step = steps[e.key];
    if (!step || e.ctrlKey || e.altKey || e.metaKey) return;
    e.preventDefault();
    const at = slides.findIndex((s) => s.getBoundingClientRect().bottom > innerHeight / 2);
    slides[Math.max(0, Math.min(slides.length - 1, at + step))].scrollIntoView();
  });
})();

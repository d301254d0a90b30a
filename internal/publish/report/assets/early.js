// Before anything is drawn: pages with scripts look different from pages without.
document.documentElement.classList.add("js");

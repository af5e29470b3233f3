"use strict";
for (const figure of document.querySelectorAll("figure.lanes, figure.heatmap")) {
  const marks = [...figure.querySelectorAll(".mark")];
  const told = figure.querySelector(".told");
  if (!marks.length) continue;
  const tell = (mark) => { if (told) told.textContent = mark.querySelector("title").textContent; };
  const go = (to) => {
    const at = Math.max(0, Math.min(marks.length - 1, to));
    marks.forEach((mark) => mark.setAttribute("tabindex", "-1"));
    marks[at].setAttribute("tabindex", "0");
    marks[at].focus();
  };
  marks.forEach((mark, at) => {
    mark.setAttribute("role", "img");
    mark.setAttribute("tabindex", at ? "-1" : "0");
    mark.addEventListener("focus", () => tell(mark));
    mark.addEventListener("pointerenter", () => tell(mark));
    mark.addEventListener("keydown", (event) => {
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + 10, ArrowUp: at - 10, Home: 0, End: marks.length }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      go(to);
    });
  });
}
const open = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
addEventListener("hashchange", open);
open();

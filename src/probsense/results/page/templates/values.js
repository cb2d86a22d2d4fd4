// Says what a mark of a chart stands for: beside the pointer, or as the arrow keys go from mark to mark.
{
  const tip = at("tip");
  let marked = null;

  // The titles would show beside the tip. Pictures that are saved get them back.
  for (const title of document.querySelectorAll("svg.chart :not(svg) > title")) {
    title.parentElement.dataset.tip = title.textContent;
    title.remove();
  }

  function say(mark, x, y) {
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    const left = Math.min(x + 14, innerWidth - tip.offsetWidth - 8);
    const above = y - tip.offsetHeight - 12;
    tip.style.left = `${Math.max(left, 8)}px`;
    tip.style.top = `${above > 8 ? above : y + 18}px`;
  }

  function hush() {
    tip.hidden = true;
    for (const mark of document.querySelectorAll("svg .marked")) mark.classList.remove("marked");
    marked = null;
  }

  // One mark for each thing that is said: an estimate and its interval say the same.
  function stops(svg) {
    const found = new Map();
    for (const mark of svg.querySelectorAll("[data-tip]:not(.away)")) {
      if (!found.has(mark.dataset.tip)) found.set(mark.dataset.tip, mark);
    }
    return [...found.values()];
  }

  function go(svg, key) {
    const all = stops(svg);
    const before = all.indexOf(marked);
    const to = {
      ArrowRight: before + 1, ArrowDown: before + 1, ArrowLeft: before - 1, ArrowUp: before - 1, Home: 0, End: all.length - 1,
    }[key];
    if (to === undefined || !all.length) return false;
    hush();
    marked = all[Math.min(Math.max(to, 0), all.length - 1)];
    for (const mark of svg.querySelectorAll("[data-tip]")) {
      if (mark.dataset.tip === marked.dataset.tip) mark.classList.add("marked");
    }
    const { right, top } = marked.getBoundingClientRect();
    say(marked, right, top);
    return true;
  }

  for (const svg of document.querySelectorAll("svg.chart")) {
    if (!svg.querySelector("[data-tip]")) continue;
    svg.tabIndex = 0;
    svg.setAttribute("aria-roledescription", "chart; arrow keys go from value to value");
    svg.addEventListener("pointermove", (event) => {
      const mark = event.target.closest("[data-tip]");
      if (mark) say(mark, event.clientX, event.clientY);
      else if (!marked) hush();
    });
    svg.addEventListener("pointerleave", hush);
    svg.addEventListener("blur", hush);
    svg.addEventListener("keydown", (event) => {
      if (event.key === "Escape") hush();
      else if (go(svg, event.key)) event.preventDefault();
    });
  }
}

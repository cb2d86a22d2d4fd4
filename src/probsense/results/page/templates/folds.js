// Opens what is folded where a link or print leads, marks in the contents where the reader is, and folds the contents on
// a phone.
{
  const panel = document.querySelector("details.panel");
  const wide = matchMedia("(min-width: 72rem)");
  const fit = () => { panel.open = wide.matches; };
  document.documentElement.classList.add("scripted");
  fit();
  wide.addEventListener("change", fit);

  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || panel.contains(target)) return;
    const own = target.querySelector(":scope > details");
    if (own) own.open = true;
    for (let outer = target.closest("details"); outer; outer = outer.parentElement.closest("details")) outer.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();

  // A link to where the reader already is changes no address, and the section may be folded again.
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    link.addEventListener("click", () => {
      if (link.hash === location.hash) reveal();
      if (panel.contains(link) && !wide.matches) panel.open = false;
    });
  }

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("main details:not([open]):not(.browser details)")];
    for (const details of folded) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of folded) details.open = false;
  });

  const links = [...panel.querySelectorAll("nav a")];
  const targets = links.map((link) => document.getElementById(link.hash.slice(1)));
  let waiting = false;
  function mark() {
    waiting = false;
    let here = -1;
    targets.forEach((target, i) => {
      if (target && target.getBoundingClientRect().top < 0.3 * innerHeight) here = i;
    });
    links.forEach((link, i) => {
      if (i === here) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
      link.parentElement.classList.toggle("here", i === here || (here >= 0 && link.parentElement.contains(links[here])));
    });
    panel.querySelector("summary .here").textContent = here < 0 ? "" : ` · ${links[here].textContent}`;
  }
  const soon = () => {
    if (!waiting) requestAnimationFrame(mark);
    waiting = true;
  };
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon);
  document.addEventListener("toggle", soon, true);
  mark();
}

// Only a table that does not fit is a stop of the tab key.
{
  const watch = new ResizeObserver((seen) => {
    for (const { target } of seen) target.tabIndex = target.scrollWidth > target.clientWidth ? 0 : -1;
  });
  for (const box of document.querySelectorAll(".scroll")) watch.observe(box);
}

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

// Hides and shows models in all charts and tables; the address keeps which are hidden.
{
  const box = document.querySelector("fieldset.models");
  const plain = (text) => text.replaceAll("\u00a0", " ").trim();
  const inputs = box ? [...box.querySelectorAll("input")] : [];
  const names = inputs.map((input) => plain(input.value)).sort((a, b) => b.length - a.length);

  // The model that a name is about: itself, or with what else tells it from others after a blank.
  const owner = (text) => names.find((name) => text === name || text.startsWith(`${name} `));

  // Everything that belongs to a model, with the model.
  function parts() {
    const found = [...document.querySelectorAll("svg [data-model]")].map((mark) => [mark, owner(mark.dataset.model)]);
    for (const item of document.querySelectorAll(".results li")) {
      found.push([item, owner(plain(item.querySelector("strong").textContent))]);
    }
    for (const table of document.querySelectorAll("main > section:not(.browser) table, main > header table")) {
      const rows = [...table.rows];
      rows[0].querySelectorAll("th").forEach((head, column) => {
        const model = owner(plain(head.textContent));
        if (model) for (const row of rows) found.push([row.cells[column], model]);
      });
      for (const row of rows.slice(1)) {
        const model = [...row.querySelectorAll("th")].map((head) => owner(plain(head.textContent))).find(Boolean);
        if (model) found.push([row, model]);
      }
    }
    return found.filter(([element, model]) => element && model);
  }

  function apply(owned) {
    const away = new Set(inputs.filter((input) => !input.checked).map((input) => plain(input.value)));
    for (const [element, model] of owned) element.classList.toggle("away", away.has(model));
    const address = new URL(location.href);
    address.searchParams.delete("without");
    for (const name of away) address.searchParams.append("without", name);
    if (address.href !== location.href) history.replaceState(history.state, "", address);
  }

  if (box) {
    const owned = parts();
    const away = new URLSearchParams(location.search).getAll("without");
    for (const input of inputs) {
      input.checked = !away.includes(plain(input.value));
      input.addEventListener("change", () => apply(owned));
    }
    box.hidden = false;
    if (away.length) apply(owned);
  }
}

// Keeps in the address what is looked at, after the "#": so a reload, a link and the back button give the same view.

const KEYS = ["task", "answers", "search", "which", "problem", "lead", "order", "page", "item"];

function addressed() {
  const hash = location.hash.slice(1);
  const all = new URLSearchParams(hash.includes("=") ? hash : "");
  return { own: new Map(KEYS.filter((key) => all.has(key)).map((key) => [key, all.get(key)])), all, bare: hash !== "" && !hash.includes("=") };
}

// What other parts of the page keep in the address stays there.
function addressOf(state) {
  const { all } = addressed();
  for (const key of KEYS) {
    if (state.get(key)) all.set(key, state.get(key));
    else all.delete(key);
  }
  return all.size ? `#${all}` : location.pathname + location.search;
}

function remember(state, replace) {
  const address = addressOf(state);
  if (address === location.hash || (address[0] !== "#" && !location.hash)) return;
  history[replace ? "replaceState" : "pushState"](null, "", address);
}

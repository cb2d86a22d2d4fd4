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

"use strict";
// Filters a leaderboard by name, family and size. Without it every model is shown.
for (const form of document.querySelectorAll("form.filters")) {
  const rows = [...document.querySelectorAll("table.board tbody tr")];
  const said = form.querySelector("output");
  const show = () => {
    const name = form.elements.name.value.trim().toLowerCase();
    const family = form.elements.family.value;
    const size = form.elements.size.value;
    for (const row of rows) {
      row.hidden =
        !row.cells[0].textContent.toLowerCase().includes(name) ||
        (family !== "" && row.dataset.family !== family) ||
        (size !== "" && row.dataset.size !== size);
    }
    said.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} shown`;
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  show();
}

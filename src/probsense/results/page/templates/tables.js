"use strict";
// Sorts tables of the class "sortable". Without it they stand in their first order.
//
// Each head of a column gets a button: the first press puts the largest number or the first word on top, the second one
// turns that round, the third one restores the first order. A column whose values all begin with a number is sorted by
// these; cells without a value come last. The rows of the first body are sorted, except those of the class "main", which
// stay on top.
{
  const NUMBER = /^[<>≥≤~]?\s*([-−+]?(?:\d[\d,]*)?(?:\.?\d+)(?:e[-+]?\d+)?)(?=$|[\s%([*])/i;
  const MISSING = ["", "–", "?"];
  const words = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  const valueOf = (row, column) => {
    return (row.cells[column]?.textContent ?? "").trim();
  };

  function numberOf(text) {
    const found = NUMBER.exec(text);
    return found ? Number(found[1].replaceAll(",", "").replace("−", "-")) : NaN;
  }

  // The rows in order, as a new array; missing values last in both directions, equal ones as they first stood.
  function sorted(rows, column, direction) {
    const keyed = rows.map((row) => ({ row, text: valueOf(row, column) }));
    const known = keyed.filter(({ text }) => !MISSING.includes(text));
    const missing = keyed.filter(({ text }) => MISSING.includes(text));
    const numeric = isNumeric(rows, column);
    const sign = direction === "ascending" ? 1 : -1;
    known.sort((a, b) => sign * (numeric ? numberOf(a.text) - numberOf(b.text) : words.compare(a.text, b.text)));
    return [...known, ...missing].map(({ row }) => row);
  }

  function isNumeric(rows, column) {
    const known = rows.map((row) => valueOf(row, column)).filter((text) => !MISSING.includes(text));
    return known.length > 0 && known.every((text) => !Number.isNaN(numberOf(text)));
  }

  function press(table, heads, column, first) {
    const before = heads[column].getAttribute("aria-sort");
    const [one, other] = isNumeric(first, column) ? ["descending", "ascending"] : ["ascending", "descending"];
    const next = { [one]: other, [other]: null }[before] ?? (before ? null : one);
    for (const head of heads) head.removeAttribute("aria-sort");
    if (next) heads[column].setAttribute("aria-sort", next);
    const order = next ? sorted(first, column, next) : first;
    const stays = order.filter((row) => row.classList.contains("main"));
    table.tBodies[0].append(...stays, ...order.filter((row) => !row.classList.contains("main")));
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
    const first = [...(table.tBodies[0]?.rows ?? [])];
    if (first.length < 2) continue;
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => press(table, heads, column, first));
      head.append(button);
    });
  }
}

"use strict";
// Saves pictures and numbers. What models wrote becomes text nodes, never markup.

const at = (id) => document.getElementById(id);

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// Everything that the page holds but does not show at once; unpacked when a reader first asks for it.
async function unpack() {
  const bytes = Uint8Array.from(atob(at("packed").textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

let unpacking = null;
const unpacked = () => (unpacking ??= unpack());

function save(name, type, text) {
  const link = make("a", { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const csv = (rows) =>
  rows.map((row) => row.map((cell) => `"${String(cell ?? "").replaceAll('"', '""')}"`).join(",") + "\n").join("");

function picture(button) {
  const svg = button.closest("figure, section").querySelector("svg.chart").cloneNode(true);
  svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  svg.setAttribute("color", "#1d2126");
  svg.setAttribute("font-family", "sans-serif");
  for (const mark of svg.querySelectorAll("[data-tip]")) {
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = mark.dataset.tip;
    mark.prepend(title);
    mark.removeAttribute("data-tip");
  }
  // Outside of the page its variables have their fallbacks.
  const text = new XMLSerializer().serializeToString(svg).replace(/var\(--[\w-]+, ?([^()]+)\)/g, "$1");
  save(button.dataset.name, "image/svg+xml", text);
}

for (const button of document.querySelectorAll("button.picture")) {
  button.hidden = false;
  button.addEventListener("click", () => picture(button));
}
for (const button of document.querySelectorAll("button.save")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const { files } = await unpacked();
    const name = button.dataset.file;
    save(name, name.endsWith(".json") ? "application/json" : "text/csv", files[name]);
  });
}

// Shows the questions one by one.

const SIZE = 50; // questions on the page at a time
const PREVIEW = 180; // characters of a question in the list

function leads(run) {
  return run.shares.map((shares, i) => {
    if (!shares) return NaN;
    const own = amongOf(run, i);
    let first = 0, second = 0;
    for (const share of own) {
      if (share > first) [first, second] = [share, first];
      else if (share > second) second = share;
    }
    return (first - second) / 10;
  });
}

async function load(number) {
  const data = await unpack(document.querySelectorAll('script[data-holds="questions"]')[number]);
  data.number = number;
  data.empty = data.texts.indexOf("");
  data.runs.forEach((run, k) => {
    run.number = k;
    run.leads = leads(run);
  });
  // One id may stand for several questions: the second one is ID~2.
  const seen = new Map();
  data.keys = data.ids.map((id) => {
    seen.set(id, (seen.get(id) ?? 0) + 1);
    return seen.get(id) > 1 ? `${id}~${seen.get(id)}` : id;
  });
  return data;
}

async function tokensOf(data) {
  const script = document.querySelectorAll('script[data-holds="tokens"]')[data.number];
  data.tokens ??= script.textContent ? await unpack(script) : { lists: [], runs: data.runs.map(() => []) };
  return data.tokens;
}

// A character stands for each word: see numbered_words in packing.py.
function textOf(data, number) {
  let text = "";
  for (const sign of data.prompts[number]) {
    let place = sign.codePointAt(0);
    if (place >= 0xe000) place -= 0x800;
    text += data.words[place - (place > 92 ? 36 : 35)];
  }
  return text;
}

const promptOf = textOf; // The prompts of the items come first.

// See preview in previews.py.
function previewOf(data, i) {
  const text = [...promptOf(data, i)];
  const places = data.lists[data.pieces[i]];
  const between = (a, b) => text.slice(a, b).join("");
  if (!places.length) return text.length > PREVIEW ? `${between(0, PREVIEW)}…` : text.join("");
  let said = "";
  for (let k = 0; k < places.length; k += 2) {
    said += (k && between(places[k - 1], places[k]).trim() ? " … " : " ") + between(places[k], places[k + 1]);
  }
  const cut = !".!?\"”’)]".includes(said.at(-1)) && between(places.at(-1)).trim();
  return `${said.trim()}${cut ? " …" : ""}`;
}

function shortOf(data, i) {
  const kept = data.short[i], id = [...data.ids[i]];
  return kept === 0 ? data.ids[i] : kept > 0 ? `${id.slice(0, kept).join("")}…` : `…${id.slice(kept).join("")}`;
}

function resultOf(data, run, i) {
  if (!run.shares[i]) return "unanswered";
  if (data.gold[i] === data.empty) return "answered";
  return run.given[i] === data.gold[i] ? "right" : "wrong";
}

const RESULTS = {
  all: "all",
  right: "right",
  wrong: "wrong",
  none: "no answer that counts",
  elsewhere: "mostly something else",
  tie: "ties",
  unanswered: "without an answer",
  differ: "models differ",
};

function fits(data, run, i, wanted) {
  const answered = Boolean(run.shares[i]);
  switch (wanted) {
    case "all": return true;
    case "none": return run.given[i] === data.empty;
    case "elsewhere": return answered && mostlyElse(run, i);
    case "tie": return run.tied[i] !== undefined;
    case "differ": return answered && data.runs.some((other) => other.shares[i] && other.given[i] !== run.given[i]);
    default: return resultOf(data, run, i) === wanted;
  }
}

function haystackOf(data, i) {
  const answers = data.runs.flatMap((run) => (run.shares[i] ? [data.texts[run.given[i]], ...namesOf(data, run, i)] : []));
  return [data.ids[i], promptOf(data, i), data.texts[data.gold[i]], data.texts[data.about[i]], ...answers]
    .join("\n").toLowerCase();
}

const ORDERS = {
  apart: ["where they differ", (data, run, i) => -(data.difference[i] ?? NaN)],
  asked: ["as asked"],
  unsure: ["smallest lead first", (data, run, i) => run.leads[i]],
  sure: ["largest lead first", (data, run, i) => -run.leads[i]],
};

function choose(data, run) {
  const words = at("search").value.trim().toLowerCase();
  const most = at("lead").value === "" ? Infinity : Number(at("lead").value);
  const group = at("group").value === "" ? null : Number(at("group").value);
  const wanted = at("result").value;
  if (words) data.haystacks ??= data.ids.map((_, i) => haystackOf(data, i));
  const found = [];
  for (let i = 0; i < data.ids.length; i++) {
    if (group !== null && data.group[i] !== group) continue;
    if (most < Infinity && !(run.leads[i] <= most)) continue;
    if (!fits(data, run, i, wanted)) continue;
    if (words && !data.haystacks[i].includes(words)) continue;
    found.push(i);
  }
  const value = ORDERS[at("order").value][1];
  if (!value) return found;
  const places = new Float64Array(data.ids.length);
  for (const i of found) {
    const place = value(data, run, i);
    places[i] = Number.isNaN(place) ? Infinity : place;
  }
  return found.sort((a, b) => places[a] - places[b] || a - b);
}

async function open(details, data, i, link) {
  if (!details.open || details.children.length > 1) return;
  const gold = data.texts[data.gold[i]], about = data.texts[data.about[i]], people = data.peoples[data.people[i]];
  const prompt = make("pre", { textContent: promptOf(data, i), tabIndex: 0 });
  prompt.setAttribute("role", "group");
  prompt.setAttribute("aria-label", "The question");
  const body = make("div", { className: "item" }, prompt);
  if (gold) body.append(make("p", {}, make("strong", { textContent: `Right answer: ${gold}` })));
  const known = [`id: ${data.ids[i]}`, about, differenceOf(data, i)].filter(Boolean).join(" · ");
  body.append(make("p", { className: "soft", textContent: known }));
  details.append(body);
  prompt.scrollTop = prompt.scrollHeight; // The question stands at the end.
  const tokens = await tokensOf(data);
  body.append(make("div", { className: "replies" },
    ...(people ? [peopleOf(people)] : []), ...data.runs.map((run) => answerOf(data, run, tokens, i, people))), link);
}

const MARKS = { right: "✓ right", wrong: "✗ wrong", answered: "", unanswered: "– no answer" };

function differenceOf(data, i) {
  return data.difference[i] === null ? "" : `they differ by ${points(data.difference[i])} points`;
}

function line(data, run, i, linkOf, opened) {
  const result = resultOf(data, run, i);
  const lead = run.shares[i]?.length > 1 && run.given[i] !== data.empty && !run.tied[i] ? `lead ${run.leads[i].toFixed(1)} points` : "";
  const elsewhere = result !== "unanswered" && run.given[i] !== data.empty && mostlyElse(run, i);
  const details = make("details", {}, make("summary", {},
    make("span", { className: `mark ${result}`, textContent: MARKS[result] }),
    make("span", { className: "id", textContent: [shortOf(data, i), data.texts[data.group[i]]].filter(Boolean).join(" · ") }),
    make("span", { className: "given", textContent: headline(data, run, i) }),
    make("span", { className: "else", textContent: elsewhere ? `${elseOf(data, run, i)}: ${percent(restOf(run, i))}` : "" }),
    make("span", { className: "margin", textContent: lead }),
    make("span", { className: "apart", textContent: differenceOf(data, i) }),
    make("span", { className: "words", textContent: previewOf(data, i) })));
  details.addEventListener("toggle", () => {
    opened(details.open);
    open(details, data, i, linkOf());
  });
  return make("li", {}, details);
}

function fill(select, entries) {
  const before = select.value;
  select.replaceChildren(...entries.map(([value, textContent]) => make("option", { value, textContent })));
  if (entries.some(([value]) => String(value) === before)) select.value = before;
}

function browse() {
  let data = null, run = null, found = [], page = 0, item = "";
  const usual = () => (data.runs.length > 1 ? "apart" : "asked");
  const taskOf = (number) => at("set").options[number].dataset.task || String(number);

  // What differs from what a reader finds first; the address has no more.
  function state() {
    return new Map([
      ["task", at("set").value === "0" ? "" : taskOf(at("set").value)],
      ["answers", at("run").value === "0" ? "" : String(Number(at("run").value) + 1)],
      ["search", at("search").value.trim()],
      ["which", at("result").value === "all" ? "" : at("result").value],
      ["problem", at("group").value === "" ? "" : data.texts[at("group").value]],
      ["lead", at("lead").value],
      ["order", at("order").value === usual() ? "" : at("order").value],
      ["page", page ? String(page + 1) : ""],
      ["item", item],
    ]);
  }

  function say(more = "") {
    at("found").textContent = `${found.length.toLocaleString("en")} of ${data.ids.length.toLocaleString("en")} questions${more}`;
  }

  function linkOf(i) {
    const link = make("a", { textContent: "Link to this question" });
    link.href = addressOf(new Map([["task", state().get("task")], ["item", data.keys[i]]]));
    const row = make("p", { className: "tools" }, link);
    if (navigator.clipboard) {
      const copy = make("button", { type: "button", textContent: "Copy the link" });
      copy.addEventListener("click", async () => {
        await navigator.clipboard.writeText(link.href);
        copy.textContent = "Copied";
        say(": link copied");
      });
      row.append(copy);
    }
    return row;
  }

  function opened(i, is) {
    if (is === (item === data.keys[i])) return;
    if (!is && item !== data.keys[i]) return;
    item = is ? data.keys[i] : "";
    remember(state());
  }

  function show() {
    const pages = Math.max(1, Math.ceil(found.length / SIZE));
    page = Math.min(Math.max(page, 0), pages - 1);
    at("list").start = page * SIZE + 1;
    at("list").replaceChildren(...found.slice(page * SIZE, (page + 1) * SIZE).map((i) => line(data, run, i, () => linkOf(i), (is) => opened(i, is))));
    say();
    at("page").textContent = `page ${(page + 1).toLocaleString("en")} of ${pages.toLocaleString("en")}`;
    at("first").disabled = at("previous").disabled = page === 0;
    at("next").disabled = at("last").disabled = page === pages - 1;
  }

  function find() {
    run = data.runs[at("run").value];
    found = choose(data, run);
  }

  function apply(replace) {
    find();
    page = 0;
    item = "";
    show();
    remember(state(), replace);
  }

  async function use(number) {
    at("found").textContent = "unpacking…";
    data = await load(number);
    at("set").value = String(number);
    fill(at("run"), data.runs.map((own, k) => [k, own.name]));
    const groups = [...new Set(data.group)].filter((k) => data.texts[k] !== "");
    fill(at("group"), [["", "all"], ...groups.map((k) => [k, data.texts[k]])]);
    at("group").parentElement.hidden = groups.length < 2;
    const there = Object.entries(RESULTS).filter(([wanted]) => wanted === "all" || (wanted !== "differ" || data.runs.length > 1)
      && data.runs.some((own) => data.ids.some((_, i) => fits(data, own, i, wanted))));
    fill(at("result"), there);
    at("result").parentElement.hidden = there.length < 2;
    const orders = Object.entries(ORDERS).filter(([name]) => name !== "apart" || data.runs.length > 1);
    fill(at("order"), orders.map(([name, [title]]) => [name, title]));
    at("apart").hidden = data.runs.length < 2;
    at("order").value = usual();
    at("filter").hidden = at("pager").hidden = false;
  }

  // Make the view that the address names.
  async function restore(wanted) {
    const held = at("list").contains(document.activeElement);
    const number = Math.max(0, [...at("set").options].findIndex((own, k) => taskOf(k) === wanted.get("task")));
    if (data?.number !== number) await use(number);
    const set = (select, value, usually) => {
      const there = [...select.options].find((own) => own.value === value);
      select.value = there ? value : usually;
    };
    set(at("run"), String(Number(wanted.get("answers") ?? 1) - 1), "0");
    set(at("result"), wanted.get("which"), "all");
    set(at("group"), [...at("group").options].find((own) => own.value && own.textContent === wanted.get("problem"))?.value, "");
    set(at("order"), wanted.get("order"), usual());
    at("search").value = wanted.get("search") ?? "";
    at("lead").value = wanted.get("lead") ?? "";
    find();
    item = wanted.get("item") ?? "";
    const i = item ? data.keys.indexOf(item) : -1, place = found.indexOf(i);
    page = place < 0 ? Number(wanted.get("page") ?? 1) - 1 || 0 : Math.floor(place / SIZE);
    show();
    if (item && place < 0) say(`: ${item} is ${i < 0 ? "none of those on this page" : "not among them"}`);
    const details = place < 0 ? null : at("list").children[place % SIZE].firstElementChild;
    if (details) {
      details.open = true;
      details.scrollIntoView({ block: "start" });
    }
    if (details || held) (details ?? at("list")).querySelector("summary")?.focus({ preventScroll: true });
  }

  function rows() {
    const head = ["id", "problem", "question", "right answer", "model", "answer", "lead", "anything else", "tie", "difference"];
    const number = (value) => (value === null || value === undefined || Number.isNaN(value) ? "" : value.toFixed(1));
    return [head, ...found.flatMap((i) => data.runs.filter((own) => own.shares[i]).map((own) =>
      [data.ids[i], data.texts[data.group[i]], promptOf(data, i), data.texts[data.gold[i]], own.name,
        data.texts[own.given[i]], number(own.leads[i]), number(own.rest[i] == null ? null : own.rest[i] / 10),
        (own.tied[i] ?? []).map((k) => data.texts[k]).join(" = "), number(data.difference[i] === null ? null : data.difference[i] / 10)]))];
  }

  const turn = (to) => () => {
    page = to();
    item = "";
    show();
    remember(state());
    at("list").querySelector("summary")?.focus({ preventScroll: true });
    at("found").scrollIntoView({ block: "nearest" });
  };
  at("first").addEventListener("click", turn(() => 0));
  at("previous").addEventListener("click", turn(() => page - 1));
  at("next").addEventListener("click", turn(() => page + 1));
  at("last").addEventListener("click", turn(() => Infinity));
  at("saved").addEventListener("click", () => save("questions.csv", "text/csv", csv(rows())));
  at("filter").addEventListener("submit", (event) => event.preventDefault());
  at("set").addEventListener("change", async () => {
    await use(Number(at("set").value));
    apply();
  });
  for (const id of ["run", "result", "group", "order"]) at(id).addEventListener("change", () => apply());
  let waiting = 0;
  for (const id of ["search", "lead"]) {
    at(id).addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => apply(true), 150);
    });
  }
  window.addEventListener("popstate", () => {
    const { own, bare } = addressed();
    if (own.size || (data && !bare)) restore(own);
  });
  // Nothing is unpacked before it is looked at.
  const section = at("filter").parentElement;
  if (addressed().own.size) restore(addressed().own).then(() => { if (!item) section.scrollIntoView(); });
  else new IntersectionObserver((seen, observer) => {
    if (seen.some((entry) => entry.isIntersecting)) {
      observer.disconnect();
      if (!data) restore(new Map());
    }
  }, { rootMargin: "600px" }).observe(section);
}

if (at("filter")) browse();

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

// Shows the questions one by one.

const SIZE = 50; // questions on the page at a time
const START = 70, END = 110; // characters of a long question in the list
const SENTENCE = /[^\n.!?]+[.!?]*["”’)\]]*/g;

function leadOf(reply) {
  if (!isAnswered(reply)) return NaN;
  let first = 0, second = 0;
  for (const share of amongOf(reply)) {
    if (share > first) [first, second] = [share, first];
    else if (share > second) second = share;
  }
  return (first - second) / 10;
}

async function load(number) {
  const data = (await unpacked()).sets[number];
  data.number = number;
  data.runs.forEach((run, k) => { run.number = k; });
  // One id may stand for several questions: the second one is ID~2.
  const seen = new Map();
  for (const item of data.asked) {
    seen.set(item.id, (seen.get(item.id) ?? 0) + 1);
    item.key = seen.get(item.id) > 1 ? `${item.id}~${seen.get(item.id)}` : item.id;
  }
  return data;
}

// The sentences of a question, each with its place from the end, where the question itself stands.
function sentencesOf(item) {
  const all = (item.prompt.match(SENTENCE) ?? []).map((own) => own.trim()).filter(Boolean);
  return all.map((text, k) => ({ text, key: `${all.length - k} ${text}` }));
}

// What tells a question from the others: the text from the first sentence that fewest have on, without what most have.
function previewOf(data, item) {
  if (!data.having) {
    data.having = new Map();
    for (const one of data.asked) for (const { key } of sentencesOf(one)) data.having.set(key, (data.having.get(key) ?? 0) + 1);
  }
  const all = sentencesOf(item), counts = all.map(({ key }) => data.having.get(key));
  const first = counts.indexOf(Math.min(...counts));
  const telling = all.filter((_, k) => k === first || (k > first && counts[k] <= data.asked.length / 2));
  const text = telling.map((own) => own.text).join(" ").replace(/\s+/g, " ");
  if (text.length <= START + END) return text;
  return `${text.slice(0, START).replace(/\s\S*$/, "")} … ${text.slice(-END).replace(/^\S*\s/, "")}`;
}

function resultOf(run, item) {
  const reply = item.replies[run.number];
  if (!isAnswered(reply)) return "unanswered";
  if (item.gold === "") return "answered";
  return reply.given === item.gold ? "right" : "wrong";
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

function fits(run, item, wanted) {
  const reply = item.replies[run.number], answered = isAnswered(reply);
  switch (wanted) {
    case "all": return true;
    case "none": return answered && reply.given === "";
    case "elsewhere": return answered && mostlyElse(reply);
    case "tie": return Boolean(reply?.tied);
    case "differ": return answered && item.replies.some((other) => isAnswered(other) && other.given !== reply.given);
    default: return resultOf(run, item) === wanted;
  }
}

function haystackOf(item) {
  const answers = item.replies.filter(isAnswered).flatMap((reply) => [reply.given, ...namesOf(reply)]);
  return [item.id, item.prompt, item.gold, item.about, ...answers].join("\n").toLowerCase();
}

const ORDERS = {
  apart: ["where they differ", (run, item) => -(item.difference ?? NaN)],
  asked: ["as asked"],
  unsure: ["smallest lead first", (run, item) => leadOf(item.replies[run.number])],
  sure: ["largest lead first", (run, item) => -leadOf(item.replies[run.number])],
};

function choose(data, run) {
  const words = at("search").value.trim().toLowerCase();
  const most = at("lead").value === "" ? Infinity : Number(at("lead").value);
  const group = at("group").value, wanted = at("result").value;
  const found = data.asked.filter((item) =>
    (group === "" || item.group === group)
    && (most === Infinity || leadOf(item.replies[run.number]) <= most)
    && fits(run, item, wanted)
    && (!words || (item.haystack ??= haystackOf(item)).includes(words)));
  const value = ORDERS[at("order").value][1];
  if (!value) return found;
  const places = new Map(found.map((item) => [item, value(run, item)]));
  const place = (item) => (Number.isNaN(places.get(item)) ? Infinity : places.get(item));
  return found.sort((a, b) => place(a) - place(b) || 0); // of two without a place, the first stays first
}

function open(details, data, item, link) {
  if (!details.open || details.children.length > 1) return;
  const prompt = make("pre", { textContent: item.prompt, tabIndex: 0 });
  prompt.setAttribute("role", "group");
  prompt.setAttribute("aria-label", "The question");
  const body = make("div", { className: "item" }, prompt);
  if (item.gold) body.append(make("p", {}, make("strong", { textContent: `Right answer: ${item.gold}` })));
  const known = [`id: ${item.id}`, item.about, differenceOf(item)].filter(Boolean).join(" · ");
  body.append(make("p", { className: "soft", textContent: known }));
  details.append(body);
  prompt.scrollTop = prompt.scrollHeight; // The question stands at the end.
  body.append(make("div", { className: "replies" },
    ...(item.people ? [peopleOf(item.people)] : []), ...data.runs.map((run) => answerOf(run, item))), link);
}

const MARKS = { right: "✓ right", wrong: "✗ wrong", answered: "", unanswered: "– no answer" };

function differenceOf(item) {
  return item.difference === null ? "" : `they differ by ${points(item.difference)} points`;
}

function line(data, run, item, linkOf, opened) {
  const result = resultOf(run, item), reply = item.replies[run.number];
  const given = isAnswered(reply) && reply.given !== "";
  const lead = given && reply.shares.length > 1 && !reply.tied ? `lead ${leadOf(reply).toFixed(1)} points` : "";
  const details = make("details", {}, make("summary", {},
    make("span", { className: `mark ${result}`, textContent: MARKS[result] }),
    make("span", { className: "id", textContent: [item.short || item.id, item.group].filter(Boolean).join(" · ") }),
    make("span", { className: "given", textContent: headline(run, reply) }),
    make("span", { className: "else", textContent: given && mostlyElse(reply) ? `${elseOf(run, reply)}: ${percent(reply.rest)}` : "" }),
    make("span", { className: "margin", textContent: lead }),
    make("span", { className: "apart", textContent: differenceOf(item) }),
    make("span", { className: "words", textContent: previewOf(data, item) })));
  details.addEventListener("toggle", () => {
    opened(details.open);
    open(details, data, item, linkOf());
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
      ["problem", at("group").value],
      ["lead", at("lead").value],
      ["order", at("order").value === usual() ? "" : at("order").value],
      ["page", page ? String(page + 1) : ""],
      ["item", item],
    ]);
  }

  function say(more = "") {
    at("found").textContent = `${found.length.toLocaleString("en")} of ${data.asked.length.toLocaleString("en")} questions${more}`;
  }

  function linkOf(shown) {
    const link = make("a", { textContent: "Link to this question" });
    link.href = addressOf(new Map([["task", state().get("task")], ["item", shown.key]]));
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

  function opened(shown, is) {
    if (is === (item === shown.key)) return;
    item = is ? shown.key : "";
    remember(state());
  }

  function show() {
    const pages = Math.max(1, Math.ceil(found.length / SIZE));
    page = Math.min(Math.max(page, 0), pages - 1);
    at("list").start = page * SIZE + 1;
    at("list").replaceChildren(...found.slice(page * SIZE, (page + 1) * SIZE).map((shown) => line(data, run, shown, () => linkOf(shown), (is) => opened(shown, is))));
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
    const groups = [...new Set(data.asked.map(({ group }) => group))].filter(Boolean);
    fill(at("group"), [["", "all"], ...groups.map((group) => [group, group])]);
    at("group").parentElement.hidden = groups.length < 2;
    const there = Object.entries(RESULTS).filter(([wanted]) => wanted === "all" || (wanted !== "differ" || data.runs.length > 1)
      && data.runs.some((own) => data.asked.some((one) => fits(own, one, wanted))));
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
    set(at("group"), wanted.get("problem"), "");
    set(at("order"), wanted.get("order"), usual());
    at("search").value = wanted.get("search") ?? "";
    at("lead").value = wanted.get("lead") ?? "";
    find();
    item = wanted.get("item") ?? "";
    const place = item ? found.findIndex(({ key }) => key === item) : -1;
    page = place < 0 ? Number(wanted.get("page") ?? 1) - 1 || 0 : Math.floor(place / SIZE);
    show();
    if (item && place < 0) say(`: ${item} is ${data.asked.some(({ key }) => key === item) ? "not among them" : "none of those on this page"}`);
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
    const tenth = (value) => number(value === undefined || value === null ? null : value / 10);
    return [head, ...found.flatMap((one) => data.runs.map((own) => [own, one.replies[own.number]]).filter(([, reply]) => isAnswered(reply)).map(([own, reply]) =>
      [one.id, one.group, one.prompt, one.gold, own.name, reply.given, number(leadOf(reply)), tenth(reply.rest),
        (reply.tied ?? []).join(" = "), tenth(one.difference)]))];
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
  let looked = addressed().own.size > 0;
  window.addEventListener("popstate", () => {
    const { own, bare } = addressed();
    if (!own.size && (!data || bare)) return;
    at("filter").closest("details").open = looked = true;
    restore(own);
  });
  // Nothing is unpacked before it is looked at.
  const section = at("filter").closest("details");
  section.addEventListener("toggle", () => {
    if (section.open && !looked) restore(new Map());
    looked = true;
  });
  if (looked) {
    section.open = true;
    restore(addressed().own).then(() => { if (!item) section.scrollIntoView(); });
  }
}

if (at("filter")) browse();

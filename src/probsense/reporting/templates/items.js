// Shows the questions one by one.

const SIZE = 50; // questions on the page at a time

const percent = (share) => (share > 0 && share < 1 ? "< 0.1" : (share / 10).toFixed(1)) + " %";
const known = (text) => (text === "" ? "none of the allowed answers" : text);

function leads(shares) {
  return shares.map((own) => {
    if (!own) return NaN;
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
  for (const run of data.runs) run.leads = leads(run.shares);
  return data;
}

async function tokensOf(data) {
  const script = document.querySelectorAll('script[data-holds="tokens"]')[data.number];
  data.tokens ??= script.textContent ? await unpack(script) : { lists: [], runs: data.runs.map(() => []) };
  return data.tokens;
}

// A character stands for each word: see numbered_words in packing.py.
function promptOf(data, i) {
  let text = "";
  for (const sign of data.prompts[i]) {
    let place = sign.codePointAt(0);
    if (place >= 0xe000) place -= 0x800;
    text += data.words[place - (place > 92 ? 36 : 35)];
  }
  return text;
}

function resultOf(data, run, i) {
  if (run.given[i] === null) return "unanswered";
  if (data.gold[i] === data.empty) return "answered";
  return run.given[i] === data.gold[i] ? "right" : "wrong";
}

const RESULTS = {
  all: "all",
  right: "right",
  wrong: "wrong",
  none: "none of the allowed answers",
  unanswered: "without an answer",
  differ: "models differ",
};

function fits(data, run, i, wanted) {
  switch (wanted) {
    case "all": return true;
    case "none": return run.given[i] === data.empty;
    case "differ": return data.runs.some((other) => other.given[i] !== run.given[i]);
    default: return resultOf(data, run, i) === wanted;
  }
}

function haystackOf(data, i) {
  const answers = data.runs.flatMap((run) =>
    run.given[i] === null ? [] : [data.texts[run.given[i]], ...data.lists[run.names[i]].map((k) => data.texts[k])]);
  return [data.ids[i], promptOf(data, i), data.texts[data.gold[i]], data.texts[data.about[i]], ...answers]
    .join("\n").toLowerCase();
}

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
  const sign = { asked: 0, unsure: 1, sure: -1 }[at("order").value];
  const place = (i) => (Number.isNaN(run.leads[i]) ? Infinity : sign * run.leads[i]);
  return sign ? found.sort((a, b) => place(a) - place(b) || a - b) : found;
}

function tokenRow(tokens, option) {
  const [list, logprobs, straddles] = option;
  const [own, after] = tokens.lists[list];
  const row = make("div", { className: "tokens" });
  [...own, ...after].forEach((token, k) => {
    const logprob = (logprobs[k] / 100).toFixed(2);
    row.append(make("span", { className: k < own.length ? "token" : "token after" },
      make("code", { textContent: token }), make("small", { textContent: logprob })));
  });
  if (straddles) row.append(make("em", { textContent: "a token spans the join" }));
  return row;
}

function answerOf(data, run, tokens, i) {
  const block = make("div", { className: "answer" }, make("h4", { textContent: run.name }));
  if (run.given[i] === null) {
    block.append(make("p", { textContent: "No answer: the request failed." }));
    return block;
  }
  const result = resultOf(data, run, i);
  const said = `${known(data.texts[run.given[i]])}${result === "answered" ? "" : ` (${result})`}`;
  block.append(make("p", { textContent: `Answer: ${said}` }));
  const body = make("tbody");
  data.lists[run.names[i]].forEach((k, place) => {
    const share = run.shares[i][place];
    const bar = make("span", { className: "bar" });
    bar.style.width = `${share / 10}%`;
    const name = make("th", { scope: "row", textContent: data.texts[k] });
    const option = tokens.runs[run.number]?.[i]?.[place];
    body.append(make("tr", {}, name, make("td", { textContent: percent(share) }),
      make("td", { className: "bars" }, bar),
      ...(option ? [make("td", { className: "room" }, tokenRow(tokens, option))] : [])));
  });
  const scored = tokens.runs[run.number]?.[i]?.length;
  const titles = ["Answer", "Share", "", ...(scored ? ["Tokens, log p"] : [])];
  const head = make("thead", {}, make("tr", {}, ...titles.map((textContent) => make("th", { scope: "col", textContent, className: textContent ? "" : "bars" }))));
  block.append(make("div", { className: "scroll" }, make("table", {}, head, body)));
  return block;
}

async function open(details, data, i) {
  if (!details.open || details.children.length > 1) return;
  const gold = data.texts[data.gold[i]], about = data.texts[data.about[i]];
  const body = make("div", { className: "item" }, make("pre", { textContent: promptOf(data, i) }));
  if (gold) body.append(make("p", {}, make("strong", { textContent: `Right answer: ${gold}` })));
  if (about) body.append(make("p", { className: "soft", textContent: about }));
  details.append(body);
  const tokens = await tokensOf(data);
  body.append(...data.runs.map((run) => answerOf(data, run, tokens, i)));
}

const MARKS = { right: "✓ right", wrong: "✗ wrong", answered: "·", unanswered: "– no answer" };

function line(data, run, i) {
  const result = resultOf(data, run, i);
  const given = run.given[i] === null ? "" : known(data.texts[run.given[i]]);
  const lead = Number.isNaN(run.leads[i]) ? "" : `lead ${run.leads[i].toFixed(1)} %`;
  const prompt = promptOf(data, i).trim();
  const details = make("details", {}, make("summary", {},
    make("span", { className: `mark ${result}`, textContent: MARKS[result] }),
    make("span", { className: "id", textContent: [data.ids[i], data.texts[data.group[i]]].filter(Boolean).join(" · ") }),
    make("span", { className: "given", textContent: given }),
    make("span", { className: "margin", textContent: lead }),
    make("span", { className: "words", textContent: prompt.length > 160 ? `${prompt.slice(0, 160)}…` : prompt })));
  details.addEventListener("toggle", () => open(details, data, i));
  return make("li", {}, details);
}

function fill(select, entries) {
  const before = select.value;
  select.replaceChildren(...entries.map(([value, textContent]) => make("option", { value, textContent })));
  if (entries.some(([value]) => String(value) === before)) select.value = before;
}

function browse() {
  let data = null, run = null, found = [], page = 0;

  function show() {
    const pages = Math.max(1, Math.ceil(found.length / SIZE));
    page = Math.min(Math.max(page, 0), pages - 1);
    at("list").start = page * SIZE + 1;
    at("list").replaceChildren(...found.slice(page * SIZE, (page + 1) * SIZE).map((i) => line(data, run, i)));
    at("found").textContent = `${found.length.toLocaleString("en")} of ${data.ids.length.toLocaleString("en")} questions`;
    at("page").textContent = `page ${(page + 1).toLocaleString("en")} of ${pages.toLocaleString("en")}`;
    at("first").disabled = at("previous").disabled = page === 0;
    at("next").disabled = at("last").disabled = page === pages - 1;
  }

  function apply() {
    run = data.runs[at("run").value];
    found = choose(data, run);
    page = 0;
    show();
  }

  async function use(number) {
    at("found").textContent = "unpacking…";
    data = await load(number);
    data.runs.forEach((own, k) => { own.number = k; });
    fill(at("run"), data.runs.map((own, k) => [k, own.name]));
    const groups = [...new Set(data.group)].filter((k) => data.texts[k] !== "");
    fill(at("group"), [["", "all"], ...groups.map((k) => [k, data.texts[k]])]);
    at("group").parentElement.hidden = groups.length < 2;
    const there = Object.entries(RESULTS).filter(([wanted]) => wanted === "all" || (wanted !== "differ" || data.runs.length > 1)
      && data.runs.some((own) => data.ids.some((_, i) => fits(data, own, i, wanted))));
    fill(at("result"), there);
    at("result").parentElement.hidden = there.length < 2;
    apply();
    at("filter").hidden = at("pager").hidden = false;
  }

  function rows() {
    const head = ["id", "problem", "question", "right answer", "model", "answer", "lead"];
    return [head, ...found.flatMap((i) => data.runs.filter((own) => own.given[i] !== null).map((own) =>
      [data.ids[i], data.texts[data.group[i]], promptOf(data, i), data.texts[data.gold[i]], own.name,
        data.texts[own.given[i]], Number.isNaN(own.leads[i]) ? "" : own.leads[i].toFixed(1)]))];
  }

  const turn = (to) => () => { page = to(); show(); at("list").querySelector("summary")?.focus({ preventScroll: true }); };
  at("first").addEventListener("click", turn(() => 0));
  at("previous").addEventListener("click", turn(() => page - 1));
  at("next").addEventListener("click", turn(() => page + 1));
  at("last").addEventListener("click", turn(() => Infinity));
  at("saved").addEventListener("click", () => save("questions.csv", "text/csv", csv(rows())));
  at("filter").addEventListener("submit", (event) => event.preventDefault());
  at("set").addEventListener("change", () => use(Number(at("set").value)));
  for (const id of ["run", "result", "group", "order"]) at(id).addEventListener("change", apply);
  let waiting = 0;
  for (const id of ["search", "lead"]) {
    at(id).addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(apply, 150);
    });
  }
  // Nothing is unpacked before it is looked at.
  const section = at("filter").parentElement;
  new IntersectionObserver((seen, observer) => {
    if (seen.some((entry) => entry.isIntersecting)) {
      observer.disconnect();
      use(0);
    }
  }, { rootMargin: "600px" }).observe(section);
}

if (at("filter")) browse();

// Shows what every model made of one question, side by side, and what people answered.

function percent(share) { // in thousandths
  if (share > 0 && share < 1) return "<\u00a00.1\u00a0%";
  if (share > 999 && share < 1000) return ">\u00a099.9\u00a0%";
  return `${(share / 10).toFixed(1)}\u00a0%`;
}

const points = (share) => (share > 0 && share < 1 ? "< 0.1" : (share / 10).toFixed(1));
const listed = (names, word) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`);

const namesOf = (reply) => reply.shares.map(([name]) => name);
const sharesOf = (reply) => reply.shares.map(([, share]) => share);

// The shares of answers among those that count.
const amongOf = (reply) => reply.among ?? sharesOf(reply);

// Whether there is a reply: null stands for a question that was not asked, and a request may have failed.
const isAnswered = (reply) => Boolean(reply && !reply.failed);

function elseOf(run, reply) {
  const names = namesOf(reply);
  if (run.method === "labels" && names.length === 2) return `neither ${names[0]} nor ${names[1]}`;
  return run.method === "labels" ? "none of the allowed answers" : "no answer that counts";
}

// Whether everything else is at least as probable as each answer that counts; where these are compared alone, nothing is.
function mostlyElse(reply) {
  return reply.rest !== undefined && sharesOf(reply).every((share) => share <= reply.rest);
}

function tieOf({ tied }) {
  if (!tied) return "";
  return tied.length > 3 ? `tie of ${tied.length}: ${tied[0]}, …` : `tie: ${tied.join(" = ")}`;
}

// The answer in few words, as a list shows it.
function headline(run, reply) {
  if (!isAnswered(reply)) return "";
  if (reply.given === "") return `${elseOf(run, reply)}${reply.rest === undefined ? "" : `: ${percent(reply.rest)}`}`;
  return tieOf(reply) || reply.given;
}

// What has to be said for the answer and its shares to be read aright.
function remarks(run, reply, result) {
  const said = [];
  const names = namesOf(reply), { given, rest, outside } = reply, tie = tieOf(reply);
  if (given !== "" && tie && result !== "answered") said.push(`A tie: the first one, ${given}, counts.`);
  if (rest && sharesOf(reply).some((share) => share > 0) && mostlyElse(reply)) {
    const among = run.method === "labels" ? listed(names, "and") : "the answers that count";
    const most = Math.max(...amongOf(reply)), first = names[amongOf(reply).indexOf(most)];
    said.push(tie ? `Of ${among}, which have ${percent(1000 - rest)} together, none is ahead.`
      : `Of ${among}, which have ${percent(1000 - rest)} together, ${first} has ${percent(most)}${given === "" ? "" : ", and counts as the answer"}.`);
  }
  if (outside !== undefined) {
    const inside = outside > 99 && outside < 100 ? "less than 1\u00a0%" : outside > 0 && outside < 1 ? "more than 99\u00a0%" : `${100 - outside}\u00a0%`;
    said.push(`The options have ${inside} of the probability together; shares are among them.`);
  }
  return said;
}

function barOf(share, kind = "") {
  const bar = make("span", { className: `bar ${kind}` });
  bar.style.width = `${share / 10}%`;
  return make("td", { className: "bars" }, bar);
}

function tableOf(titles, rows) {
  const cells = titles.map((textContent) => textContent
    ? make("th", { scope: "col", textContent, className: textContent === "Answer" ? "" : "n" })
    : make("td", { className: "bars" }));
  const frame = make("div", { className: "scroll", tabIndex: 0 }, make("table", {}, make("thead", {}, make("tr", {}, ...cells)), make("tbody", {}, ...rows)));
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", "Answers and their shares");
  return frame;
}

function row(name, ...cells) {
  const body = cells.map((cell) => (typeof cell === "string" ? make("td", { textContent: cell }) : cell));
  return make("tr", {}, make("th", { scope: "row", textContent: name || "(nothing)" }), ...body);
}

function tokenRow([own, after, logprobs, straddles]) {
  const found = make("div", { className: "tokens" });
  [...own, ...after].forEach((token, k) => {
    const logprob = (logprobs[k] / 100).toFixed(2);
    found.append(make("span", { className: k < own.length ? "token" : "token after" },
      make("code", { textContent: token }), make("small", { textContent: logprob })));
  });
  if (straddles) found.append(make("em", { textContent: "a token spans the join" }));
  return found;
}

function sharesTable(run, reply, people) {
  const { rest } = reply, among = run.method === "labels" ? reply.among : undefined;
  const known = new Map(people?.shares ?? []);
  const theirs = namesOf(reply).some((name) => known.has(name)) ? known : null;
  const beside = (name) => (theirs ? [theirs.has(name) ? percent(theirs.get(name)) : ""] : []);
  const rows = reply.shares.map(([name, share], place) =>
    row(name, percent(share), ...(among ? [percent(among[place])] : []), ...beside(name), barOf(share)));
  if (rest) rows.push(row(elseOf(run, reply), percent(rest), ...(among ? [""] : []), ...(theirs ? [""] : []), barOf(rest, "else")));
  const head = run.method === "sample" ? "Of texts" : "Share";
  return tableOf(["Answer", head, ...(among ? [reply.shares.length === 2 ? "Of the two" : "Of these"] : []), ...(theirs ? [people.illustrative ? "Illustrative" : "People"] : []), ""], rows);
}

const SAID = { right: " (right)", wrong: " (wrong)" };

function answerOf(run, item) {
  const reply = item.replies[run.number];
  const block = make("div", { className: "answer" }, make("h3", { textContent: run.name }));
  if (!isAnswered(reply)) {
    block.append(make("p", { textContent: reply ? "No answer: the request failed." : "This question was not asked." }));
    return block;
  }
  const result = resultOf(run, item);
  block.append(make("p", { className: "said" }, "Answer: ",
    make("strong", { textContent: headline(run, reply) }),
    make("span", { className: `mark ${result}`, textContent: SAID[result] ?? "" })));
  for (const textContent of remarks(run, reply, result)) block.append(make("p", { className: "soft remark", textContent }));
  if (reply.shares.length || reply.rest) block.append(sharesTable(run, reply, item.people));
  if (reply.texts) {
    const texts = reply.texts.map(([text, count]) => make("li", {}, make("q", { textContent: text }), count > 1 ? ` × ${count}` : ""));
    block.append(make("details", {}, make("summary", { textContent: "Texts as they were written" }), make("ul", { className: "texts", tabIndex: 0 }, ...texts)));
  }
  if (reply.tokens) {
    const names = namesOf(reply);
    const parts = reply.tokens.flatMap((option, place) => [make("dt", { textContent: names[place] }), make("dd", {}, tokenRow(option))]);
    const view = run.view ? [make("p", { className: "soft remark", textContent: `Shares follow from them by the view ${run.view}.` })] : [];
    block.append(make("details", {}, make("summary", { textContent: "Tokens with their log-probabilities" }), ...view, make("dl", {}, ...parts)));
  }
  if (reply.prompt) {
    const text = make("pre", { textContent: reply.prompt, tabIndex: 0 });
    text.setAttribute("role", "group");
    text.setAttribute("aria-label", "The question as this model was asked");
    block.append(make("details", {}, make("summary", { textContent: "How this model was asked" }), text));
  }
  return block;
}

function peopleOf(people) {
  const block = make("div", { className: "answer people" }, make("h3", { textContent: people.illustrative ? "Illustrative answers" : "People" }));
  const nobody = "made up for illustration, nobody was asked";
  if (!people.shares.length) {
    const said = people.illustrative ? `Expected of most people: ${people.most} (${nobody}).` : `Most people say ${people.most}.`;
    block.append(make("p", { className: "said", textContent: said }));
    return block;
  }
  const n = people.n === null ? "" : `${people.n.toLocaleString("en")} answers`;
  block.append(make("p", { className: "said", textContent: people.illustrative ? `${n}, ${nobody}.` : `${n}.` }));
  block.append(tableOf(["Answer", "Share", ""], people.shares.map(([name, share]) => row(name, percent(share), barOf(share, "people")))));
  if (people.others) block.append(make("p", { className: "soft", textContent: `and ${people.others.toLocaleString("en")} more answers` }));
  return block;
}

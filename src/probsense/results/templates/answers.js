// Shows what every model made of one question, side by side, and what people answered.

const FAILED = -1;

function percent(share) { // in thousandths
  if (share > 0 && share < 1) return "<\u00a00.1\u00a0%";
  if (share > 999 && share < 1000) return ">\u00a099.9\u00a0%";
  return `${(share / 10).toFixed(1)}\u00a0%`;
}

const points = (share) => (share > 0 && share < 1 ? "< 0.1" : (share / 10).toFixed(1));
const listed = (names, word) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`);

function namesOf(data, run, i) {
  return data.lists[run.names[i]].map((k) => data.texts[k]);
}

// How probable everything is but the answers that count, in thousandths; null where they are compared alone.
const restOf = (run, i) => run.rest[i] ?? null;

// The shares of answers among those that count.
const amongOf = (run, i) => run.among[i] ?? run.shares[i];

function elseOf(data, run, i) {
  const names = namesOf(data, run, i);
  if (run.method === "labels" && names.length === 2) return `neither ${names[0]} nor ${names[1]}`;
  return run.method === "labels" ? "none of the allowed answers" : "no answer that counts";
}

// Whether everything else is at least as probable as each answer that counts.
function mostlyElse(run, i) {
  const rest = restOf(run, i);
  return rest !== null && run.shares[i].every((share) => share <= rest);
}

function tieOf(data, run, i) {
  const names = run.tied[i]?.map((k) => data.texts[k]);
  if (!names) return "";
  return names.length > 3 ? `tie of ${names.length}: ${names[0]}, …` : `tie: ${names.join(" = ")}`;
}

// The answer in few words, as a list shows it.
function headline(data, run, i) {
  if (!run.shares[i]) return "";
  const given = data.texts[run.given[i]];
  if (given === "") {
    const rest = restOf(run, i);
    return `${elseOf(data, run, i)}${rest === null ? "" : `: ${percent(rest)}`}`;
  }
  return tieOf(data, run, i) || given;
}

function leaderOf(run, i) {
  return amongOf(run, i).indexOf(Math.max(...amongOf(run, i)));
}

// What has to be said for the answer and its shares to be read aright.
function remarks(data, run, i, result) {
  const said = [];
  const names = namesOf(data, run, i), rest = restOf(run, i), given = data.texts[run.given[i]];
  const tie = tieOf(data, run, i);
  if (given !== "" && tie && result !== "answered") said.push(`A tie: the first one, ${given}, counts.`);
  const some = run.shares[i].some((share) => share > 0);
  if (rest && some && mostlyElse(run, i)) {
    const among = run.method === "labels" ? listed(names, "and") : "the answers that count";
    const first = names[leaderOf(run, i)];
    said.push(tie ? `Of ${among}, which have ${percent(1000 - rest)} together, none is ahead.`
      : `Of ${among}, which have ${percent(1000 - rest)} together, ${first} has ${percent(Math.max(...amongOf(run, i)))}${given === "" ? "" : ", and counts as the answer"}.`);
  }
  const outside = run.outside[i] ?? null;
  if (outside !== null) {
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

function tokenRow(tokens, option) {
  const [list, logprobs, straddles] = option;
  const [own, after] = tokens.lists[list];
  const found = make("div", { className: "tokens" });
  [...own, ...after].forEach((token, k) => {
    const logprob = (logprobs[k] / 100).toFixed(2);
    found.append(make("span", { className: k < own.length ? "token" : "token after" },
      make("code", { textContent: token }), make("small", { textContent: logprob })));
  });
  if (straddles) found.append(make("em", { textContent: "a token spans the join" }));
  return found;
}

function sharesTable(data, run, i, people) {
  const names = namesOf(data, run, i), rest = restOf(run, i);
  const among = run.method === "labels" ? run.among[i] : undefined;
  const known = new Map(people?.shares ?? []);
  const theirs = names.some((name) => known.has(name)) ? known : null;
  const beside = (name) => (theirs ? [theirs.has(name) ? percent(theirs.get(name)) : ""] : []);
  const rows = names.map((name, place) => {
    const share = run.shares[i][place];
    return row(name, percent(share), ...(among ? [percent(among[place])] : []), ...beside(name), barOf(share));
  });
  if (rest) rows.push(row(elseOf(data, run, i), percent(rest), ...(among ? [""] : []), ...(theirs ? [""] : []), barOf(rest, "else")));
  const head = run.method === "sample" ? "Of texts" : "Share";
  return tableOf(["Answer", head, ...(among ? [names.length === 2 ? "Of the two" : "Of these"] : []), ...(theirs ? [people.illustrative ? "Illustrative" : "People"] : []), ""], rows);
}

const SAID = { right: " (right)", wrong: " (wrong)" };

function answerOf(data, run, tokens, i, people) {
  const block = make("div", { className: "answer" }, make("h3", { textContent: run.name }));
  if (!run.shares[i]) {
    block.append(make("p", { textContent: run.given[i] !== FAILED ? "This question was not asked." : "No answer: the request failed." }));
    return block;
  }
  const result = resultOf(data, run, i);
  block.append(make("p", { className: "said" }, "Answer: ",
    make("strong", { textContent: headline(data, run, i) }),
    make("span", { className: `mark ${result}`, textContent: SAID[result] ?? "" })));
  for (const textContent of remarks(data, run, i, result)) block.append(make("p", { className: "soft remark", textContent }));
  if (run.shares[i].length || restOf(run, i)) block.append(sharesTable(data, run, i, people));
  if (run.texts[i]) {
    const texts = run.texts[i].map(([k, count]) => make("li", {}, make("q", { textContent: data.texts[k] }), count > 1 ? ` × ${count}` : ""));
    block.append(make("details", {}, make("summary", { textContent: "Texts as they were written" }), make("ul", { className: "texts", tabIndex: 0 }, ...texts)));
  }
  const scored = tokens.runs[run.number]?.[i] ?? [];
  if (scored.length) {
    const names = namesOf(data, run, i);
    const parts = scored.flatMap((option, place) => [make("dt", { textContent: names[place] }), make("dd", {}, tokenRow(tokens, option))]);
    const view = run.view ? [make("p", { className: "soft remark", textContent: `Shares follow from them by the view ${run.view}.` })] : [];
    block.append(make("details", {}, make("summary", { textContent: "Tokens with their log-probabilities" }), ...view, make("dl", {}, ...parts)));
  }
  if (run.prompts[i] !== undefined) {
    const text = make("pre", { textContent: textOf(data, run.prompts[i]), tabIndex: 0 });
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

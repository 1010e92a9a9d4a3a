// Check: an answer and its sources in, the reading out.

import { get, load, verify } from "../api.js";
import { announce, h, wait } from "../dom.js";
import { EXAMPLE } from "../example.js";
import { layDesk } from "../form.js";
import { outcome } from "../words.js";

const JUDGES = [
  ["", "the server's judge"],
  ["lexical", "words and numbers only"],
  ["small", "small model"],
  ["base", "base model"],
  ["cascade", "all, cheapest first"],
];

function isFirstVisit() {
  try {
    return localStorage.getItem("assay-seen") === null;
  } catch {
    return false; // where nothing can be kept, the example would come back on every visit
  }
}

export function mount(host, office) {
  let reading = null;
  let shown = null;
  let work = null;
  const judge = h("select", { id: "judge" }, JUDGES.map(([value, word]) => h("option", { value }, word)));
  const memory = h("input", { type: "checkbox", id: "use-memory" });
  const desk = layDesk("check", {
    button: "Check the answer",
    onsubmit: check,
    options: [
      h("button", { type: "button", class: "quiet", onclick: () => desk.fill(EXAMPLE) }, "Fill in an example"),
      h("span", { class: "gap" }),
      h("label", { class: "choice" }, memory, "Search the memory too"),
      h("label", { class: "choice" }, "Judged by ", judge),
    ],
  });
  const result = h("div", { class: "result", hidden: true });
  const writing = h(
    "div",
    {},
    h("h1", { id: "check-title", tabindex: -1 }, "Is it so?"),
    h("p", { class: "lead" }, "Paste what an AI wrote and the sources it should rest on. Assay checks it claim by claim, shows the words that decide each, and can fix what is wrong."),
    h("p", { class: "tools" }, h("button", { type: "button", class: "quiet", onclick: () => (desk.fill(EXAMPLE), check()) }, "See an example checked")),
    desk.form,
  );
  const progress = h("p", { class: "progress", role: "status" });
  const partial = h("div", { class: "answer", inert: true });
  const stage = h("section", { class: "checking", "aria-label": "Being checked", hidden: true }, h("h2", {}, "Checking"), progress, partial);
  host.append(writing, stage, result);
  if (!location.hash.includes("/check/") && !desk.read().answer.trim() && isFirstVisit()) welcome();

  async function welcome() {
    const { openShowcase } = await load("./showcase.js");
    if (!writing.classList.contains("unseen")) openShowcase(desk.form, () => (desk.fill(EXAMPLE), check()));
  }

  async function check() {
    const { answer, question, sources } = desk.read();
    if (!sources.length && !memory.checked) {
      desk.say("There is nothing to check against: paste or drop a source, or search the memory.");
      return;
    }
    const body = { answer, sources, record: true };
    if (question) body.question = question;
    if (judge.value) body.judge = judge.value;
    if (memory.checked) body.use_memory = true;
    work = new AbortController();
    const cancel = () => work.abort();
    desk.busy(true, cancel);
    desk.say("");
    announce("Checking.");
    let waiting = null;
    // The claims stand there at once, and get their verdicts as they are settled.
    const watch = (claims, done) => {
      const said = `${done} of ${claims.length} claims checked.`;
      waiting ??= open(claims.length);
      waiting.say(done ? said : `${claims.length === 1 ? "One claim" : `${claims.length} claims`} found, being held against the sources.`);
      partial.replaceChildren(...drawAnswer(answer, claims));
    };
    const open = () => {
      turn("checking");
      scrollTo({ top: 0 });
      return wait(progress, "", cancel);
    };
    let drawAnswer = null;
    let cancelled = false;
    try {
      ({ drawAnswer } = await load("./answer.js"));
      const report = await verify(body, { signal: work.signal, watch });
      office.run = { answer, question, report, documents: report.documents ?? [], runId: report.run_id ?? null, rating: report.rating };
      // Every result has an address of its own; Back leads to what was written.
      if (office.run.runId) history.pushState(null, "", `#/check/${encodeURIComponent(office.run.runId)}`);
      await show(office.run);
    } catch (error) {
      turn("writing");
      cancelled = error.name === "AbortError";
      if (cancelled) announce("Cancelled.");
      else desk.say(error.message, check);
    } finally {
      waiting?.end();
      partial.replaceChildren();
      desk.busy(false);
      if (cancelled) desk.form.querySelector(".primary").focus(); // it can be focused only now
    }
  }

  /** Writing, being checked, reading: one of them is there. */
  function turn(to) {
    writing.classList.toggle("unseen", to !== "writing");
    writing.querySelector(".showcase")?.remove();
    desk.form.hidden = to !== "writing";
    stage.hidden = to !== "checking";
    result.hidden = to !== "reading";
  }

  async function show(run) {
    const { openReading } = await load("./reading.js"); // not needed before there is a result
    shown = run;
    const again = h("button", { type: "button", class: "quiet", onclick: change }, "Change the answer");
    const on = run.runId && h("a", { href: `#/ledger/${encodeURIComponent(run.runId)}` }, "Open its ledger");
    turn("reading");
    reading = openReading(result, run, { before: h("p", { class: "trail" }, again, on) });
    result.querySelector("h2").focus({ preventScroll: true });
    scrollTo({ top: 0 });
    announce(outcome(run.report));
  }

  function change() {
    const { answer, question, documents } = shown;
    if (!desk.read().answer.trim()) desk.fill({ answer, question, sources: documents.map(({ id, text }) => ({ id, text })) });
    edit();
    if (location.hash !== "#/check") history.pushState(null, "", "#/check");
  }

  async function enter([id]) {
    if (!id) {
      if (reading) edit();
      return;
    }
    if (shown?.runId === id && reading) return;
    try {
      const stored = await get(`v1/audits/${encodeURIComponent(id)}`);
      const { answer, question, report, documents, marks, rating } = stored;
      office.run = { answer, question, report, documents, marks, rating, runId: stored.id };
      await show(office.run);
    } catch (error) {
      if (reading) edit();
      desk.say(`This result cannot be opened: ${error.message}`, () => enter([id]));
    }
  }

  function edit() {
    reading?.leave();
    reading = shown = null;
    turn("writing");
    result.replaceChildren();
    desk.form.querySelector("textarea").focus();
  }

  return {
    enter,
    step: (by) => reading?.step(by),
    problem: (by) => reading?.problem(by),
    escape: () => reading?.escape(),
    leave: () => document.documentElement.classList.remove("sheeted"),
  };
}

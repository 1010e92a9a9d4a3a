// Check: an answer and its sources in, the reading out.

import { get, post } from "../api.js";
import { announce, h } from "../dom.js";
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
  host.append(writing, result);

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
    desk.busy(true, () => work.abort());
    desk.say("");
    announce("Checking.");
    try {
      const report = await post("v1/verify", body, { signal: work.signal });
      office.run = { answer, question, report, documents: report.documents ?? [], runId: report.run_id ?? null };
      // Every result has an address of its own; Back leads to what was written.
      if (office.run.runId) history.pushState(null, "", `#/check/${encodeURIComponent(office.run.runId)}`);
      await show(office.run);
    } catch (error) {
      if (error.name === "AbortError") announce("Cancelled.");
      else desk.say(error.message, check);
    } finally {
      desk.busy(false);
    }
  }

  async function show(run) {
    const { openReading } = await import("../reading.js"); // not needed before there is a result
    shown = run;
    const again = h("button", { type: "button", class: "quiet", onclick: change }, "Change the answer");
    const on = run.runId && h("a", { href: `#/ledger/${encodeURIComponent(run.runId)}` }, "Open its ledger");
    writing.classList.add("unseen");
    desk.form.hidden = true;
    result.hidden = false;
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
      const { answer, question, report, documents, marks } = stored;
      office.run = { answer, question, report, documents, marks, runId: stored.id };
      await show(office.run);
    } catch (error) {
      if (reading) edit();
      desk.say(`This result cannot be opened: ${error.message}`, () => enter([id]));
    }
  }

  function edit() {
    reading?.leave();
    reading = shown = null;
    result.hidden = true;
    result.replaceChildren();
    writing.classList.remove("unseen");
    desk.form.hidden = false;
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

// Check: an answer and its sources in, the reading out.

import { post } from "../api.js";
import { announce, h } from "../dom.js";
import { EXAMPLE } from "../example.js";
import { layDesk } from "../form.js";
import { openReading } from "../reading.js";
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
    h("p", { class: "lead" }, "Every claim of an answer is held against the sources, and the words that decide it are shown."),
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
    desk.busy(true);
    desk.say("");
    announce("Checking.");
    try {
      const report = await post("v1/verify", body);
      office.run = { answer, question, report, documents: report.documents ?? [], runId: report.run_id ?? null };
      show(office.run);
    } catch (error) {
      desk.say(error.message);
    } finally {
      desk.busy(false);
    }
  }

  function show(run) {
    const again = h("button", { type: "button", class: "quiet", onclick: edit }, "Change the answer or its sources");
    const on = run.runId && h("a", { href: `#/ledger/${encodeURIComponent(run.runId)}` }, "Open its ledger");
    writing.classList.add("unseen");
    desk.form.hidden = true;
    result.hidden = false;
    reading = openReading(result, run, { before: h("p", { class: "trail" }, again, on) });
    result.querySelector("h2").focus({ preventScroll: true });
    scrollTo({ top: 0 });
    announce(outcome(run.report));
  }

  function edit() {
    reading?.leave();
    reading = null;
    result.hidden = true;
    result.replaceChildren();
    writing.classList.remove("unseen");
    desk.form.hidden = false;
    desk.form.querySelector("textarea").focus();
  }

  return {
    step: (by) => reading?.step(by),
    escape: () => reading?.escape(),
    leave: () => document.documentElement.classList.remove("sheeted"),
  };
}

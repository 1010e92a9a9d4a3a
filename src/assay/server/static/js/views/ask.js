// Ask: a question to the memory. What comes back is verified, or it is not given.

import { get, post } from "../api.js";
import { announce, h, punch } from "../dom.js";
import { gatherDocuments } from "../documents.js";
import { openReading } from "../reading.js";
import { outcome, plain, share, signOf, visible } from "../words.js";

export function mount(host, office) {
  const question = h("input", { id: "ask-question", type: "text", required: true, autocomplete: "off", dir: "auto" });
  const model = h("select", { id: "ask-model" }, h("option", { value: "" }, "the server's writer"));
  const message = h("p", { class: "message", role: "alert" });
  const button = h("button", { type: "submit", class: "primary" }, "Ask");
  const result = h("div", { class: "result" });
  let reading = null;
  host.append(
    h("h1", { id: "ask-title", tabindex: -1 }, "Ask the memory"),
    h("p", { class: "lead" }, "The answer is written from the stored documents and checked against them before you see it. If it does not hold, you are told so instead."),
    h(
      "form",
      { class: "line-form", onsubmit: (event) => (event.preventDefault(), ask()) },
      h("label", { for: question.id, class: "heading" }, "Your question"),
      h("div", { class: "line" }, question, button),
      h("label", { class: "choice" }, "Written by ", model),
      message,
    ),
    result,
  );

  async function ask() {
    button.disabled = true;
    message.textContent = "";
    announce("Asking.");
    try {
      const body = { question: question.value };
      if (model.value) body.model = model.value;
      await show(await post("v1/ask", body));
    } catch (error) {
      message.textContent = error.message;
    } finally {
      button.disabled = false;
    }
  }

  async function show(asked) {
    reading?.leave();
    reading = null;
    const { report } = asked;
    if (asked.abstention || asked.answer === null) {
      result.replaceChildren(refusal(asked));
      announce("There is no verified answer.");
      return;
    }
    const documents = await gatherDocuments(report, asked.documents);
    const run = { answer: asked.answer, question: question.value, report, documents, runId: asked.run_id ?? null };
    office.run = run;
    const on = run.runId && h("p", { class: "trail" }, h("a", { href: `#/ledger/${encodeURIComponent(run.runId)}` }, "Open its ledger"));
    reading = openReading(result, run, { before: on, after: attempts(asked) });
    result.querySelector("h2").focus({ preventScroll: true });
    announce(outcome(report));
  }

  async function enter() {
    if (model.options.length > 1) return;
    try {
      const { models = [] } = await get("v1/health");
      for (const name of models) model.append(h("option", { value: name }, visible(name)));
    } catch {
      // Without the list the server's own writer is asked.
    }
  }

  return {
    enter,
    step: (by) => reading?.step(by),
    problem: (by) => reading?.problem(by),
    escape: () => reading?.escape(),
    leave: () => document.documentElement.classList.remove("sheeted"),
  };
}

function refusal({ abstention, attempts: tried = [] }) {
  const failed = abstention?.failed_claims ?? [];
  const wanted = abstention?.evidence_wanted ?? [];
  return h(
    "section",
    { class: "refusal", "aria-label": "No answer" },
    h("h2", {}, "No verified answer can be given"),
    h("ul", { class: "plain-list" }, (abstention?.reasons ?? []).map((reason) => h("li", {}, visible(reason)))),
    failed.length > 0 && h("h3", {}, "What did not hold"),
    failed.length > 0 &&
      h(
        "ul",
        { class: "entries" },
        failed.map((claim) => {
          const sign = signOf(claim.verdict);
          return h(
            "li",
            { class: sign.name },
            punch(sign.name),
            h("div", {}, h("p", { class: "statement" }, visible(claim.text)), h("p", { class: "reason" }, visible(claim.explanation))),
          );
        }),
      ),
    wanted.length > 0 && h("h3", {}, "What would settle it"),
    wanted.length > 0 && h("ul", { class: "plain-list" }, wanted.map((line) => h("li", {}, visible(line)))),
    tried.length > 0 && h("p", { class: "note" }, `Tried ${tried.length} times.`),
  );
}

function attempts({ attempts: tried = [], seconds }) {
  if (!tried.length) return null;
  return h(
    "section",
    { class: "remarks" },
    h("h3", {}, "How it was written"),
    h(
      "ul",
      {},
      tried.map((attempt) =>
        h("li", {}, h("span", {}, h("strong", {}, plain(attempt.strategy ?? attempt.kind ?? "attempt")), " ", visible(attempt.reason ?? attempt.outcome ?? ""), typeof attempt.confidence === "number" ? ` (confidence ${share(attempt.confidence)})` : "")),
      ),
    ),
    typeof seconds === "number" && h("p", { class: "note" }, `${seconds.toFixed(2)} s in all`),
  );
}

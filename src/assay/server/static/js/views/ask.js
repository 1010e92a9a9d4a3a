// Ask: a question to the memory. What comes back is verified, or it is not given; unless a reader wants it unverified.

import { drawAnswer } from "../answer.js";
import { get, post, verify } from "../api.js";
import { announce, h, punch, tell, wait } from "../dom.js";
import { gatherDocuments } from "../documents.js";
import { compare } from "../fix.js";
import { openReading } from "../reading.js";
import { clip, counted, outcome, plain, share, signOf, visible } from "../words.js";

const DRAFT = "assay-draft-ask";

export function mount(host, office) {
  const question = h("input", { id: "ask-question", type: "text", required: true, autocomplete: "off", dir: "auto", value: drafted() });
  const model = h("select", { id: "ask-model" }, h("option", { value: "" }, "the server's writer"));
  const checked = h("input", { type: "checkbox", id: "ask-verify", checked: true });
  const message = h("p", { class: "message", role: "alert" });
  const progress = h("p", { class: "progress", role: "status" });
  const hint = h("p", { class: "empty", hidden: true });
  const button = h("button", { type: "submit", class: "primary" }, "Ask");
  const result = h("div", { class: "result" });
  let reading = null;
  let shown = null;
  host.append(
    h("h1", { id: "ask-title", tabindex: -1 }, "Ask the memory"),
    h("p", { class: "lead" }, "The answer is written from the stored documents and checked against them before you see it. If it does not hold, you are told so instead."),
    h(
      "form",
      { class: "line-form", onsubmit: (event) => (event.preventDefault(), ask()), oninput: keep },
      h("label", { for: question.id, class: "heading" }, "Your question"),
      h("div", { class: "line" }, question, button),
      h("div", { class: "line" }, h("label", { class: "choice" }, checked, "Verify the answer before it is shown"), h("label", { class: "choice" }, "Written by ", model)),
      progress,
      message,
    ),
    hint,
    result,
  );

  function keep() {
    try {
      sessionStorage.setItem(DRAFT, question.value);
    } catch {
      // The question then lives as long as the page.
    }
  }

  /** Does something that takes long, with a way out of it and another try if it fails. */
  async function work(doing, task, retry) {
    const stop = new AbortController();
    const waiting = wait(progress, doing, () => stop.abort());
    button.disabled = true;
    tell(message, "");
    announce(doing);
    try {
      await task(stop.signal);
    } catch (error) {
      if (error.name === "AbortError") announce("Cancelled.");
      else tell(message, error.message, retry);
    } finally {
      waiting.end();
      button.disabled = false;
    }
  }

  function ask() {
    const asked = question.value;
    clear();
    return work(
      checked.checked ? "Writing an answer and checking it against the documents." : "Writing an answer.",
      async (signal) => {
        if (checked.checked) await show(await post("v1/ask", { question: asked, ...(model.value ? { model: model.value } : {}) }, { signal }), asked);
        else showUnverified(await post("v1/chat", { messages: [{ role: "user", content: asked }], verification: false, ...(model.value ? { model: model.value } : {}) }, { signal }), asked);
      },
      ask,
    );
  }

  function clear() {
    reading?.leave();
    reading = shown = null;
    hint.hidden = true;
    result.replaceChildren();
  }

  /** `asked` as the server answers a question, or as it keeps the run. */
  async function show(answered, asked) {
    const { report, abstention, rating, draft, run_id: runId = null } = answered;
    if (runId && location.hash !== addressOf(runId)) history.pushState(null, "", addressOf(runId));
    shown = runId;
    if (abstention || answered.answer === null) {
      result.replaceChildren(refusal(answered));
      announce("There is no verified answer.");
      return;
    }
    const documents = await gatherDocuments(report, answered.documents);
    open({ answer: answered.answer, question: asked, report, documents, runId, rating, marks: answered.marks }, [beside(draft, answered.answer), attempts(answered)]);
  }

  function open(run, after) {
    office.run = run;
    const on = run.runId && h("p", { class: "trail" }, h("a", { href: `#/ledger/${encodeURIComponent(run.runId)}` }, "Open its ledger"));
    reading = openReading(result, run, { before: on, after });
    result.querySelector("h2").focus({ preventScroll: true });
    announce(outcome(run.report));
  }

  function showUnverified({ answer, sources = [] }, asked) {
    const check = () =>
      work(
        "Checking each claim against the documents.",
        async (signal) => {
          const report = await verify({ answer, question: asked, use_memory: true, record: true }, { signal });
          clear();
          if (report.run_id) history.pushState(null, "", addressOf(report.run_id));
          shown = report.run_id ?? null;
          open({ answer, question: asked, report, documents: report.documents ?? [], runId: report.run_id ?? null, rating: report.rating });
        },
        check,
      );
    result.replaceChildren(
      h(
        "section",
        { class: "unverified", "aria-label": "Unverified answer" },
        h("h2", { tabindex: -1 }, punch("not-checkable"), "Not verified"),
        h("p", { class: "note" }, "Nothing in this answer has been checked: it may say what no document says."),
        h("div", { class: "answer", dir: "auto" }, drawAnswer(answer, [])),
        sources.length > 0 && h("p", { class: "place" }, `Written from ${clip([...new Set(sources.map((source) => source.title || source.document_id))].join(", "), 200)}`),
        h("p", { class: "tools" }, h("button", { type: "button", class: "primary small", onclick: check }, "Check it now")),
      ),
    );
    result.querySelector("h2").focus({ preventScroll: true });
    announce("An answer that is not verified.");
  }

  async function enter([id]) {
    if (!id) clear();
    fillModels();
    tellEmpty();
    if (!id || id === shown) return;
    clear();
    try {
      const stored = await get(`v1/audits/${encodeURIComponent(id)}`);
      question.value = stored.question ?? "";
      await show({ ...stored, answer: stored.abstention ? null : stored.answer, run_id: stored.id }, stored.question);
    } catch (error) {
      tell(message, `This result cannot be opened: ${error.message}`, () => enter([id]));
    }
  }

  async function fillModels() {
    if (model.options.length > 1) return;
    try {
      const { models = [] } = await get("v1/health");
      if (model.options.length === 1) for (const name of models) model.append(h("option", { value: name }, visible(name)));
    } catch {
      // Without the list the server's own writer is asked.
    }
  }

  /** An empty memory answers nothing; that is said before a question is lost on it. */
  async function tellEmpty() {
    try {
      const { total } = await get("v1/documents?limit=1");
      hint.replaceChildren("The memory is empty, so there is nothing to answer from. ", h("a", { href: "#/memory" }, "Add documents"), " first, or ", h("a", { href: "#/check" }, "check an answer"), " against sources of your own.");
      hint.hidden = total > 0 || result.childElementCount > 0;
    } catch {
      hint.hidden = true; // the question itself will tell what is wrong
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

const addressOf = (runId) => `#/ask/${encodeURIComponent(runId)}`;

function drafted() {
  try {
    return sessionStorage.getItem(DRAFT) ?? "";
  } catch {
    return "";
  }
}

/** The first draft beside what is given instead, with what was taken out of the one and put into the other. */
function beside(draft, answer) {
  if (!draft) return null;
  if (draft === answer) return h("section", { class: "remarks" }, h("h3", {}, "First draft"), h("p", { class: "note" }, "It held as it was first written."));
  const parts = compare(draft, answer);
  const side = (title, pick, tag) => h("div", {}, h("h3", {}, title), h("p", { class: "diff", dir: "auto" }, parts.map((part) => (part.same !== undefined ? visible(part.same) : pick(part) && h(tag, {}, visible(pick(part)))))));
  return h(
    "section",
    { class: "drafts fix", "aria-label": "First draft and answer" },
    side("First draft", (part) => part.old, "del"),
    side("After the check", (part) => part.new, "ins"),
  );
}

function refusal({ abstention, attempts: tried = [], draft }) {
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
    !failed.length && !wanted.length && h("p", { class: "note" }, "Ask it in other words, or ", h("a", { href: "#/memory" }, "add a document"), " that answers it."),
    draft && h("details", { class: "details" }, h("summary", {}, "The draft that did not hold"), h("p", { class: "diff", dir: "auto" }, visible(draft))),
    tried.length > 0 && h("p", { class: "note" }, `Tried ${counted(tried.length, "time")}.`),
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
        h("li", {}, h("span", {}, h("strong", {}, plain(attempt.strategy ?? attempt.kind ?? "attempt")), " ", visible(attempt.reason ?? attempt.outcome ?? attempt.problem ?? ""), typeof attempt.confidence === "number" ? ` (confidence ${share(attempt.confidence)})` : "")),
      ),
    ),
    typeof seconds === "number" && h("p", { class: "note" }, `${seconds.toFixed(2)} s in all`),
  );
}

// Live: an answer as it is being written, checked while it comes, and stopped where the sources contradict it.

import { stream } from "../api.js";
import { announce, h, punch } from "../dom.js";
import { gatherDocuments } from "../documents.js";
import { EXAMPLE } from "../example.js";
import { layDesk } from "../form.js";
import { Points } from "../points.js";
import { openReading } from "../reading.js";
import { splitSegments } from "../segments.js";
import { clip, counted, gravest, signOf, visible } from "../words.js";

export function mount(host, office) {
  const speed = h("input", { type: "number", id: "speed", min: 1, max: 1000, value: 12, class: "short" });
  const release = h("select", { id: "release" }, h("option", { value: "stream" }, "at once"), h("option", { value: "hold" }, "once checked"));
  const desk = layDesk("live", {
    button: "Start the stream",
    needsAnswer: false,
    onsubmit: start,
    options: [
      h("button", { type: "button", class: "quiet", onclick: () => desk.fill(EXAMPLE) }, "Fill in an example"),
      h("span", { class: "gap" }),
      h("label", { class: "choice" }, "Tokens a second ", speed),
      h("label", { class: "choice" }, "A reader sees words ", release),
    ],
  });
  const stage = h("div", { class: "stage", hidden: true });
  const result = h("div", { class: "result" });
  host.append(
    h("h1", { id: "live-title", tabindex: -1 }, "As it is written"),
    h("p", { class: "lead" }, "The answer is played word by word. Each claim is checked as it ends; a contradicted one stops the stream and is taken back."),
    desk.form,
    stage,
    result,
  );
  let pipe = null;
  let reading = null;

  async function start() {
    const { answer, question, sources } = desk.read();
    if (!answer.trim() && !question) {
      desk.say("There is nothing to play: write an answer, or ask a question of the memory.");
      return;
    }
    const body = { sources, release: release.value };
    if (answer.trim()) Object.assign(body, { answer, tokens_per_second: Number(speed.value) || 12 });
    if (question) body.question = question;
    if (!sources.length) body.use_memory = true;
    pipe?.abort();
    pipe = new AbortController();
    reading?.leave();
    reading = null;
    result.replaceChildren();
    desk.say("");
    desk.busy(true);
    const play = new Play();
    const stop = h("button", { type: "button", class: "quiet", onclick: () => pipe.abort() }, "Stop");
    const back = h("button", { type: "button", class: "quiet", onclick: () => turn(true) }, "Change the answer or its sources");
    const again = h("button", { type: "button", class: "quiet", onclick: start }, "Play it again");
    again.hidden = true;
    stage.replaceChildren(h("p", { class: "trail" }, stop, again, back), ...play.nodes);
    turn(false);
    stop.focus();
    announce("The stream has begun.");
    try {
      for await (const { event, data } of stream("v1/stream", body, pipe.signal)) {
        play.take(event, data);
        if (event === "done") await finish(data, release.value === "stream" ? play.text : answer || play.text, sources);
      }
    } catch (error) {
      if (error.name !== "AbortError") play.note("error", error.message, "Play it again tries once more.");
      else play.note("not-checkable", "Stopped by the reader.");
    } finally {
      play.close();
      desk.busy(false);
      again.hidden = false;
      if (document.activeElement === stop) again.focus();
      stop.hidden = true;
    }
  }

  /** Either the desk or the stage is up. */
  function turn(writing) {
    if (writing) {
      pipe?.abort();
      reading?.leave();
      reading = null;
      result.replaceChildren();
    }
    desk.form.hidden = !writing;
    stage.hidden = writing;
    if (writing) desk.form.querySelector("textarea").focus();
    else scrollTo({ top: 0 });
  }

  async function finish(data, answer, sources) {
    const report = data.report;
    if (!report?.claims?.length) return;
    const documents = await gatherDocuments(report, data.documents ?? sources);
    const run = { answer: data.answer ?? answer, report, documents, runId: data.run_id ?? null, rating: data.rating };
    const open = h("button", { type: "button", class: "primary" }, "Open the reading");
    open.addEventListener("click", () => {
      if (run.runId) office.run = run;
      reading = openReading(result, run);
      result.querySelector("h2").focus();
    });
    const address = run.runId && h("a", { href: `#/check/${encodeURIComponent(run.runId)}` }, "Its own page");
    result.replaceChildren(h("p", { class: "tools" }, open, address));
  }

  return {
    step: (by) => reading?.step(by),
    problem: (by) => reading?.problem(by),
    escape: () => reading?.escape(),
    leave: () => document.documentElement.classList.remove("sheeted"),
  };
}

/** The stage of one stream: the words so far, and what was found about them. */
class Play {
  constructor() {
    this.text = "";
    this.claims = [];
    this.retracted = [];
    this.began = performance.now();
    this.words = h("div", { class: "answer", dir: "auto" });
    this.caret = h("span", { class: "caret", "aria-hidden": "true" });
    this.seal = h("div", { class: "seal" });
    this.log = h("ol", { class: "log", role: "log", "aria-label": "What was found", tabindex: 0 });
    this.nodes = [
      h("div", { class: "paper" }, h("h2", {}, "The answer"), h("div", {}, this.words), this.seal),
      h("div", { class: "paper" }, h("h2", {}, "What was found"), this.log),
    ];
    this.draw();
  }

  take(event, data) {
    if (event === "token") this.write(data.text);
    else if (event === "claim") this.found(data);
    else if (event === "finding") this.settle(data.finding);
    else if (event === "halt") this.halt(data);
    else if (event === "retract") this.retract(data);
    else if (event === "done") this.end(data);
    else if (event === "error") this.note("error", data.detail ?? data.title ?? "The stream broke off.");
  }

  write(text) {
    this.text += text;
    this.caret.before(visible(text));
  }

  found(claim) {
    this.claims.push({ ...claim, verdict: claim.checkable === false ? "NOT_CHECKABLE" : "PENDING" });
    this.draw();
  }

  settle(finding) {
    const same = (claim) => claim.spans[0]?.start === finding.spans[0]?.start && claim.spans[0]?.end === finding.spans[0]?.end;
    const at = this.claims.findIndex(same);
    if (at >= 0) this.claims[at] = finding;
    else this.claims.push(finding);
    this.draw();
    if (finding.verdict !== "NOT_CHECKABLE") {
      this.note(signOf(finding.verdict).name, finding.text, finding.explanation, finding.evidence?.[0]);
    }
  }

  halt({ reason }) {
    this.seal.replaceChildren(h("p", { class: "halted" }, punch("gap"), h("strong", {}, "Halted"), h("span", {}, visible(reason))));
    announce(`Halted. ${reason}`);
  }

  retract(span) {
    this.retracted.push(span);
    this.draw();
    this.note("refuted", "Taken back", clip(span.text, 200));
  }

  end(data) {
    const facts = [
      `${data.tokens_shown ?? data.tokens} of ${counted(data.tokens, "token")} shown`,
      data.tokens_exposed ? `${data.tokens_exposed} taken back` : "",
      data.checks ? counted(data.checks, "check") : "",
      data.false_halts ? `${data.false_halts} halts not upheld` : "",
    ];
    this.note(data.halted ? "refuted" : "supported", data.halted ? "The stream was stopped" : "The stream ended", facts.filter(Boolean).join(" · "));
    announce(data.halted ? "The stream was stopped." : "The stream ended.");
  }

  close() {
    this.caret.remove();
  }

  note(name, title, detail = "", quote = null) {
    const after = ((performance.now() - this.began) / 1000).toFixed(1);
    this.log.append(
      h(
        "li",
        { class: name },
        punch(name),
        h(
          "div",
          {},
          h("p", {}, visible(title)),
          detail && h("p", { class: "reason" }, visible(detail)),
          quote && h("p", { class: "place" }, h("q", {}, clip(quote.quote, 140)), ` ${quote.document}, ${quote.start}–${quote.end}`),
        ),
        h("span", { class: "after" }, `${after} s`),
      ),
    );
    this.log.scrollTop = this.log.scrollHeight;
  }

  draw() {
    const text = new Points(this.text);
    const marks = this.claims.flatMap((claim, owner) => claim.spans.map(({ start, end }) => ({ start, end, owner })));
    const nodes = splitSegments(text.length, marks, this.retracted).map((segment) => {
      const words = visible(text.slice(segment.start, segment.end));
      const shown = segment.strong ? h("del", {}, words) : words;
      if (!segment.owners.length) return shown;
      const claim = this.claims[gravest(this.claims, segment.owners)];
      const sign = signOf(claim.verdict).name;
      const closing = segment.closes.map((number) => {
        const name = signOf(this.claims[number].verdict).name;
        return h("span", { class: `raised ${name}`, role: "img", "aria-label": signOf(this.claims[number].verdict).word }, "\u2060", punch(name), String(number + 1));
      });
      return h("span", { class: `claim still ${sign}` }, h("span", { class: "words" }, shown), closing);
    });
    const writing = this.caret.isConnected || !this.words.childNodes.length;
    this.words.replaceChildren(...nodes, ...(writing ? [this.caret] : []));
  }
}

// "Fix the answer": the smallest edit that brings it in line with the sources, change by change, for a reader to accept or not.

import { post } from "./api.js";
import { announce, copyText, h, punch, tell, wait } from "./dom.js";
import { clip, counted, place, visible } from "./words.js";

const WORD = /\s+|[\p{L}\p{M}\p{N}]+(?:[.,:’'-][\p{L}\p{M}\p{N}]+)*|[^]/gu;
const MOST = 4_000_000; // cells of the table of a comparison; beyond that the middle is one change

/** The button and the panel of a run, or null where nothing is to be fixed. */
export function offerFix(run) {
  const faulty = run.report.claims.some((claim) => ["REFUTED", "INSUFFICIENT"].includes(claim.verdict));
  if (!faulty || !run.answer || !run.documents.length) return null;
  const panel = h("section", { class: "fix", "aria-label": "Fix the answer", hidden: true });
  const button = h("button", { type: "button", class: "primary small", onclick: begin }, "Fix the answer");

  async function begin() {
    const stop = new AbortController();
    button.disabled = true;
    panel.hidden = false;
    const state = h("p", { class: "progress", role: "status" });
    panel.replaceChildren(state);
    const waiting = wait(state, "Looking for the smallest change that the sources support.", () => stop.abort());
    try {
      panel.replaceChildren(...drawChanges(run, await repair(run, stop.signal), close));
    } catch (error) {
      if (error.name === "AbortError") close();
      else {
        const message = h("p", { class: "message", role: "alert" });
        panel.replaceChildren(message);
        tell(message, error.message, begin);
      }
    } finally {
      waiting.end();
      button.disabled = false;
    }
  }

  function close() {
    panel.hidden = true;
    panel.replaceChildren();
    button.focus();
  }
  return { button, panel };
}

async function repair(run, signal) {
  const sources = run.documents.map(({ id, text, title, date, pages, headings }) =>
    Object.fromEntries(Object.entries({ id, text, title, date, pages, headings }).filter(([, value]) => value !== undefined && value !== null)),
  );
  const body = { answer: run.answer, sources };
  if (run.question) body.question = run.question;
  return post("v1/repair", body, { signal });
}

function drawChanges(run, fixed, close) {
  const parts = listChanges(run.answer, fixed.answer, fixed.edits ?? []);
  const changes = parts.filter((part) => part.change).map((part) => part.change);
  const distinct = [...new Set(changes)];
  if (!distinct.length) {
    return [
      h("p", { class: "note" }, "No small change was found that the sources support. What is not confirmed needs another source, or to be taken out by hand."),
      h("p", { class: "tools" }, h("button", { type: "button", class: "quiet", onclick: close }, "Close")),
    ];
  }
  const text = h("p", { class: "diff", dir: "auto" });
  const state = h("span", { class: "state", role: "status" });
  const items = distinct.map((change, at) => drawItem(change, at));

  function redraw() {
    text.replaceChildren(
      ...parts.flatMap((part) => {
        if (!part.change) return [visible(part.same)];
        const number = distinct.indexOf(part.change) + 1;
        return [
          part.old && h("del", { class: part.change.accepted ? "" : "kept", title: `Change ${number}` }, visible(part.old)),
          part.new && h("ins", { class: part.change.accepted ? "" : "left", title: `Change ${number}` }, visible(part.new)),
        ].filter(Boolean);
      }),
    );
    const taken = distinct.filter((change) => change.accepted).length;
    state.textContent = `${taken} of ${counted(distinct.length, "change")} accepted`;
    for (const [at, change] of distinct.entries()) {
      for (const button of items[at].querySelectorAll(".stamp")) button.setAttribute("aria-pressed", String((button.dataset.accept === "true") === change.accepted));
    }
  }

  function drawItem(change, at) {
    const choose = (accepted, word, icon) =>
      h(
        "button",
        { type: "button", class: "stamp", "data-accept": String(accepted), "aria-pressed": "false", onclick: () => ((change.accepted = accepted), redraw(), announce(`Change ${at + 1} ${accepted ? "accepted" : "rejected"}.`)) },
        punch(icon),
        word,
      );
    const own = parts.filter((part) => part.change === change);
    const [before, after] = [own.map((part) => part.old).join(" … "), own.map((part) => part.new).join(" … ")].map((words) => clip(words, 160));
    return h(
      "li",
      {},
      h("p", {}, before ? h("del", {}, before) : h("span", { class: "aside" }, "added"), before && after ? " → " : " ", after ? h("ins", {}, after) : h("span", { class: "aside" }, "taken out")),
      change.reason && h("p", { class: "reason" }, visible(change.reason)),
      change.evidence
        ? h("p", { class: `receipt-line ${after ? "supports" : change.evidence.stance}` }, h("q", {}, clip(change.evidence.quote, 240)), " ", h("span", { class: "place" }, visible(place(change.evidence))))
        : h("p", { class: "place" }, "No passage of the sources speaks to it."),
      h("div", { class: "feedback", role: "group", "aria-label": `Change ${at + 1}` }, choose(true, "Accept", "passed"), choose(false, "Reject", "failed")),
    );
  }

  const result = () => parts.map((part) => (part.change ? (part.change.accepted ? part.new : part.old) : part.same)).join("");
  const all = (accepted) => {
    for (const change of distinct) change.accepted = accepted;
    redraw();
  };
  redraw();
  return [
    h("h3", {}, "The answer, fixed"),
    h("p", { class: "note" }, "The smallest edit that the sources support. Accept or reject each change."),
    text,
    h("ol", { class: "changes" }, items),
    h(
      "p",
      { class: "tools" },
      h("button", { type: "button", class: "primary", onclick: () => copy(result(), state) }, "Copy the result"),
      h("button", { type: "button", class: "quiet", onclick: () => all(true) }, "Accept all"),
      h("button", { type: "button", class: "quiet", onclick: () => all(false) }, "Reject all"),
      h("button", { type: "button", class: "quiet", onclick: close }, "Close"),
      state,
    ),
  ];
}

async function copy(text, state) {
  await copyText(text);
  state.textContent = "Copied.";
  announce("Copied.");
}

/** The answer in parts: {same} or {old, new, change}; parts of one edit of the server share its change. */
export function listChanges(before, after, edits) {
  const known = edits.map((edit) => ({ reason: edit.reason, evidence: edit.evidence, old: edit.old, new: edit.new, accepted: true }));
  return compare(before, after).map((part) => {
    if (part.same !== undefined) return part;
    const [old, fresh] = [part.old.trim(), part.new.trim()];
    const fits = (edit) => (old ? edit.old.includes(old) || old.includes(edit.old) : true) && (fresh ? edit.new.includes(fresh) || (edit.new !== "" && fresh.includes(edit.new)) : true);
    return { ...part, change: known.find(fits) ?? { reason: "", evidence: null, accepted: true } };
  });
}

/** The words two texts share, and between them what differs. */
export function compare(before, after) {
  const [ours, theirs] = [before.match(WORD) ?? [], after.match(WORD) ?? []];
  let head = 0;
  while (head < ours.length && head < theirs.length && ours[head] === theirs[head]) head += 1;
  let tail = 0;
  while (tail < ours.length - head && tail < theirs.length - head && ours[ours.length - 1 - tail] === theirs[theirs.length - 1 - tail]) tail += 1;
  const [a, b] = [ours.slice(head, ours.length - tail), theirs.slice(head, theirs.length - tail)];
  const steps = [...ours.slice(0, head).map(same), ...align(a, b), ...ours.slice(ours.length - tail).map(same)];
  return join(steps);
}

const same = (word) => ({ same: word });

function align(a, b) {
  if (a.length * b.length > MOST) return [{ old: a.join(""), new: b.join("") }];
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] = a[i] === b[j] ? table[(i + 1) * width + j + 1] + 1 : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  const steps = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      steps.push(same(a[i]));
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && table[(i + 1) * width + j] >= table[i * width + j + 1])) {
      steps.push({ old: a[i], new: "" });
      i += 1;
    } else {
      steps.push({ old: "", new: b[j] });
      j += 1;
    }
  }
  return steps;
}

/** Adjoining steps of one kind as one; a blank between two changes belongs to them. */
function join(steps) {
  const parts = [];
  for (const [at, step] of steps.entries()) {
    const last = parts.at(-1);
    const blank = step.same !== undefined && !step.same.trim() && last?.old !== undefined && steps[at + 1]?.old !== undefined;
    if (blank) [last.old, last.new] = [last.old + step.same, last.new + step.same];
    else if (step.same !== undefined && last?.same !== undefined) last.same += step.same;
    else if (step.old !== undefined && last?.old !== undefined) [last.old, last.new] = [last.old + step.old, last.new + step.new];
    else parts.push({ ...step });
  }
  return parts.flatMap(unblank);
}

/** A change without the blanks at its end that both sides have. */
function unblank(part) {
  if (part.same !== undefined) return [part];
  const blanks = [part.old, part.new].map((words) => /\s*$/.exec(words)[0]);
  const kept = blanks[0].endsWith(blanks[1]) ? blanks[1] : blanks[1].endsWith(blanks[0]) ? blanks[0] : "";
  if (!kept) return [part];
  const cut = (words) => words.slice(0, words.length - kept.length);
  return [{ old: cut(part.old), new: cut(part.new) }, same(kept)].filter((one) => one.same !== undefined || one.old || one.new);
}

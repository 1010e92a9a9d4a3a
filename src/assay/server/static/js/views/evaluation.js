// Evaluation: how good a judge is on labelled pairs, and whether its confidence can be believed.

import { get, post } from "../api.js";
import { announce, h, tell } from "../dom.js";
import { confusion, reliability, scores, summaryLine } from "../plots.js";
import { counted, percent, plain, visible, when } from "../words.js";

const FIGURES = {
  accuracy: "accuracy",
  balanced_accuracy: "balanced accuracy",
  macro_f1: "macro F1",
  auc: "area under the curve",
  ece: "calibration error",
  brier: "Brier score",
};

export function mount(host) {
  const message = h("p", { class: "message", role: "alert" });
  const chooser = h("input", { type: "file", id: "eval-file", accept: ".jsonl,.ndjson,.json" });
  const name = h("input", { type: "text", id: "eval-name", autocomplete: "off" });
  const judge = h("select", { id: "eval-judge" }, ["lexical", "small", "base"].map((value) => h("option", { value }, value)));
  const button = h("button", { type: "submit", class: "primary" }, "Measure");
  const runs = h("div", {});
  const detail = h("div", { class: "result" });
  const form = h(
    "form",
    { class: "measure-form", onsubmit: (event) => (event.preventDefault(), measure()) },
    h("h2", {}, "Measure a judge"),
    h("p", { class: "note" }, "A file of JSON lines, each with evidence, claim and label (SUPPORTED, REFUTED, INSUFFICIENT or NOT_SUPPORTED)."),
    h("div", { class: "line" }, h("label", { for: chooser.id, class: "unseen" }, "File of labelled pairs"), chooser, h("label", { class: "choice" }, "Name ", name), h("label", { class: "choice" }, "Judge ", judge), button),
    message,
  );
  host.append(h("h1", { id: "evaluation-title", tabindex: -1 }, "Evaluation"), detail, runs, form);

  async function measure() {
    message.textContent = "";
    if (!chooser.files.length) {
      message.textContent = "Choose a file of labelled pairs first.";
      return;
    }
    button.disabled = true;
    announce("Measuring.");
    try {
      const file = chooser.files[0];
      const rows = readRows(await file.text());
      const run = await post("v1/eval", { rows, name: name.value.trim() || file.name.replace(/\.[a-z]+$/i, ""), judge: judge.value });
      announce("Measured.");
      location.hash = `#/evaluation/${encodeURIComponent(run.id)}`;
    } catch (error) {
      tell(message, error.message, measure);
    } finally {
      button.disabled = false;
    }
  }

  let visits = 0;

  async function enter([wanted]) {
    const visit = ++visits; // an answer that comes after the next visit began must not draw over it
    message.textContent = "";
    try {
      const { runs: found = [] } = await get("v1/eval");
      if (visit !== visits) return;
      const id = wanted || found[0]?.id;
      if (!id) {
        runs.replaceChildren(h("p", { class: "empty" }, "No judge has been measured here yet. Choose a file of labelled pairs below, and see how often the judge is right and how far its confidence can be believed."));
        detail.replaceChildren();
        return;
      }
      const run = await get(`v1/eval/${encodeURIComponent(id)}`);
      const sets = await Promise.all(found.slice(0, 12).map(async (one) => (one.id === id ? run : get(`v1/eval/${encodeURIComponent(one.id)}`))));
      if (visit !== visits) return;
      draw(run);
      runs.replaceChildren(
        h("section", { class: "plots" }, scores(sets.filter((one) => typeof one[one.measure] === "number").map(bar))),
        h("h2", {}, "Runs"),
        h("ul", { class: "plain-list" }, found.map((one) => h("li", {}, h("a", { href: `#/evaluation/${encodeURIComponent(one.id)}`, "aria-current": one.id === id ? "true" : null }, summaryLine(one)), ` ${plain(one.measure)} ${percent(one[one.measure], 1)} · ${when(one.time)}`))),
      );
    } catch (error) {
      if (visit === visits) tell(message, error.message, () => enter([wanted]));
    }
  }

  function draw(run) {
    const missing = [run.n_not_checkable ? `${run.n_not_checkable} not checkable` : "", run.n_error ? counted(run.n_error, "error") : ""].filter(Boolean);
    detail.replaceChildren(
      h(
        "header",
        { class: "measured" },
        h("h2", {}, visible(run.name || "Unnamed set")),
        h("p", { class: "facts" }, [`judge ${visible(run.judge)}`, plain(run.task), `${counted(run.n, "row")} scored`, ...missing, typeof run.p50_ms === "number" ? `median ${run.p50_ms.toFixed(1)} ms` : ""].filter(Boolean).join(" · ")),
        h("dl", { class: "figures" }, Object.entries(FIGURES).filter(([key]) => typeof run[key] === "number").map(([key, word]) => h("div", { class: key === run.measure ? "main" : "" }, h("dt", {}, word), h("dd", {}, run[key].toFixed(3)), range(run.intervals?.[key])))),
      ),
      h("div", { class: "plots two" }, run.calibration?.length ? reliability(run.calibration) : "", Object.keys(run.confusion ?? {}).length ? confusion(run.confusion) : ""),
    );
  }

  return { enter };
}

const range = (interval) => (interval ? h("dd", { class: "range" }, `${interval[0].toFixed(2)} to ${interval[1].toFixed(2)}`) : "");
const bar = (run) => ({ name: run.name || "unnamed", judge: run.judge, n: run.n, measure: plain(run.measure), value: run[run.measure], interval: run.intervals?.[run.measure] });

/** JSON lines, or one JSON array. */
function readRows(text) {
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  const parse = (line, at) => {
    try {
      return JSON.parse(line);
    } catch {
      throw new Error(`Line ${at + 1} of the file is no JSON.`);
    }
  };
  const found = text.trim().startsWith("[") ? parse(text, 0) : lines.map(parse);
  return found.map(({ evidence, claim, label }, at) => {
    if (![evidence, claim, label].every((value) => typeof value === "string")) throw new Error(`Row ${at + 1} needs evidence, claim and label as text.`);
    return { evidence, claim, label };
  });
}

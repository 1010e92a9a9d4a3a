// The writing desk: an answer and its sources, pasted, dropped or chosen. Check and Live both write on it.

import { acceptDrops, readFiles } from "./files.js";
import { announce, h, tell, wait } from "./dom.js";
import { counted, weight } from "./words.js";

/** A desk with `read()` (what is on it), `fill()` and `say()`; `name` keeps the ids of two desks apart. */
export function layDesk(name, { button, options = [], onsubmit, needsAnswer = true }) {
  const question = h("input", { id: `${name}-question`, type: "text", autocomplete: "off", dir: "auto" });
  const answer = h("textarea", { id: `${name}-answer`, rows: 14, spellcheck: "false", dir: "auto", required: needsAnswer });
  const list = h("div", { class: "slips" });
  const message = h("p", { class: "message", role: "alert" });
  const progress = h("p", { class: "progress", role: "status" });
  const chooser = h("input", { type: "file", multiple: true, class: "unseen", tabindex: -1, "aria-hidden": "true", onchange: () => take([...chooser.files]) });
  const submit = h("button", { type: "submit", class: "primary" }, button);
  let made = 0;

  function addSlip({ id = "", text = "", given = null, size = null } = {}) {
    made += 1;
    const field = `${name}-source-${made}`;
    const title = h("input", { id: `${field}-name`, class: "slip-name", type: "text", value: id, placeholder: `source ${list.children.length + 1}`, "aria-label": "Name of this source" });
    const body = h("textarea", { id: field, rows: 7, value: text, spellcheck: "false", dir: "auto", "aria-label": "Text of this source" });
    // A file is a chip: its name, its size and how much was read of it; its text is there on demand.
    const open = given && h("button", { type: "button", class: "quiet", "aria-expanded": "false", onclick: () => unfold(body.hidden) }, "Show the text");
    const unfold = (wide) => {
      body.hidden = !wide;
      open.setAttribute("aria-expanded", String(wide));
      open.textContent = wide ? "Hide the text" : "Show the text";
    };
    body.hidden = Boolean(given);
    const slip = h(
      "div",
      { class: given ? "slip chip" : "slip", role: "group", "aria-label": "Source" },
      h("div", { class: "slip-head" }, title, open, h("button", { type: "button", class: "quiet", "aria-label": "Remove this source", onclick: () => removeSlip(slip) }, "Remove")),
      given && h("p", { class: "chip-facts" }, read(given, size)),
      body,
    );
    // Where pages and headings begin is known from the file, as long as nobody edits its text.
    slip.read = () => {
      const source = { id: title.value.trim(), text: body.value };
      if (given?.text !== body.value) return source;
      const { title: named = "", date = null, pages = [], headings = [] } = given;
      return { ...source, title: named, date, pages, headings };
    };
    slip.draft = () => ({ id: title.value, text: body.value, given: given?.text === body.value ? given : null, size });
    list.append(slip);
    return body;
  }

  function removeSlip(slip) {
    slip.remove();
    if (!list.children.length) addSlip();
    keepDraft();
    list.querySelector("input").focus();
  }

  async function take(files) {
    say(`Reading ${counted(files.length, "file")}.`);
    try {
      const { documents, refused } = await readFiles(files);
      for (const slip of [...list.children]) if (!slip.read().text.trim()) slip.remove();
      for (const document of documents) addSlip({ id: document.id, text: document.text, given: document, size: files.find((file) => file.name === document.id)?.size ?? null });
      if (!list.children.length) addSlip();
      const left = files.filter((file) => !documents.some((document) => document.id === file.name));
      say(refused.join("\n"), () => take(left));
      announce(`${counted(documents.length, "source")} read.`);
      keepDraft();
    } catch (error) {
      say(error.message, () => take(files));
    } finally {
      chooser.value = "";
    }
  }

  async function takeAnswer(files) {
    try {
      const { documents, refused } = await readFiles(files.slice(0, 1));
      say(refused.join("\n"), () => takeAnswer(files));
      if (!documents.length) return; // what stands there already is kept
      answer.value = documents[0].text;
      announce("Answer read.");
      keepDraft();
    } catch (error) {
      say(error.message, () => takeAnswer(files));
    }
  }

  const say = (text, retry = null) => tell(message, text, retry);

  const drawer = `assay-draft-${name}`;
  let saving = 0;
  /** What is being written outlives a reload, in this tab only. */
  function keepDraft() {
    clearTimeout(saving);
    saving = setTimeout(() => {
      try {
        sessionStorage.setItem(drawer, JSON.stringify({ answer: answer.value, question: question.value, sources: [...list.children].map((slip) => slip.draft()) }));
      } catch {
        // Too long to be kept, or storage is forbidden: the draft then lives as long as the page.
      }
    }, 200);
  }

  function draft() {
    try {
      return JSON.parse(sessionStorage.getItem(drawer));
    } catch {
      return null;
    }
  }

  const left = h(
    "div",
    { class: "desk-side" },
    h("label", { for: answer.id, class: "heading" }, "The answer"),
    answer,
    h("label", { for: question.id, class: "aside" }, "The question it answers, if there was one"),
    question,
  );
  const right = h(
    "div",
    { class: "desk-side" },
    h("span", { class: "heading", id: `${name}-sources` }, "The sources"),
    h("div", { role: "group", "aria-labelledby": `${name}-sources` }, list),
    h(
      "p",
      { class: "tools" },
      h("button", { type: "button", class: "quiet", onclick: () => addSlip().focus() }, "Add a source"),
      h("button", { type: "button", class: "quiet", onclick: () => chooser.click() }, "Choose files"),
      h("span", { class: "aside" }, "or drop PDF, Word, HTML, Markdown or text here"),
      chooser,
    ),
  );
  acceptDrops(right, take);
  acceptDrops(left, takeAnswer);
  addSlip();
  const form = h(
    "form",
    {
      class: "desk",
      onsubmit: (event) => {
        event.preventDefault();
        onsubmit();
      },
      oninput: keepDraft,
    },
    left,
    right,
    h("div", { class: "desk-foot" }, submit, options, progress, message),
  );
  function fill({ answer: text, question: asked, sources }) {
    answer.value = text;
    question.value = asked ?? "";
    list.replaceChildren();
    for (const source of sources) addSlip(source);
    if (!list.children.length) addSlip();
    keepDraft();
  }
  const begun = draft();
  if (begun) fill(begun);
  let waiting = null;

  return {
    form,
    say,
    take,
    /** While work goes on: how long it has taken, and a way out of it. */
    busy(now, cancel = null) {
      submit.disabled = now;
      form.setAttribute("aria-busy", String(now));
      waiting?.end();
      waiting = now && cancel ? wait(progress, "Checking each claim against the sources.", cancel) : null;
    },
    read() {
      const sources = [...list.children].map((slip) => slip.read()).filter((source) => source.text.trim());
      const taken = new Set();
      for (const [at, source] of sources.entries()) source.id = distinct(source.id || `source ${at + 1}`, taken);
      return { answer: answer.value, question: question.value.trim(), sources };
    },
    fill,
  };
}

/** What the server made of a file. */
function read({ text, pages = [] }, size) {
  const facts = [size === null ? "" : weight(size), `${counted([...text].length, "character")} read`, pages.length > 1 ? counted(pages.length, "page") : ""];
  return facts.filter(Boolean).join(" · ");
}

/** A name no other source has. */
function distinct(name, taken) {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name} (${number})`;
  taken.add(free);
  return free;
}

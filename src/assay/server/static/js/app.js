// The frame: which view is shown, the theme, the keys, and the question for an API key.

import { get, load, onLocked, setKey } from "./api.js";
import { announce, h, tell } from "./dom.js";
import { visible } from "./words.js";

const NAMES = ["check", "ask", "live", "memory", "ledger", "audit", "traces", "evaluation"];
const main = document.getElementById("main");
const opened = new Map();
let current = null;
let wanted = null;

/** What the views share: the run last looked at. */
const office = { run: null };

function route() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  if (location.hash === "#main") return;
  show(NAMES.includes(name) ? name : "check", rest);
}

/** Each view is fetched when it is first wanted; a reader who has gone on meanwhile is left alone. */
async function show(name, rest) {
  wanted = name;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#/${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const menu = document.querySelector(".menu");
  menu.open = false;
  menu.classList.toggle("current", menu.querySelector("[aria-current]") !== null);
  if (!opened.has(name)) {
    const found = await load(`./views/${name}.js`).catch((error) => ({ error }));
    if (opened.has(name) || wanted !== name) return;
    if (found.error) {
      sayLost(name, rest, found.error);
      return;
    }
    const { mount } = found;
    const host = h("section", { class: `view ${name}`, "aria-labelledby": `${name}-title` });
    main.append(host);
    opened.set(name, { host, ...mount(host, office) });
  }
  const first = current === null && lost === null;
  lost?.remove();
  lost = null;
  opened.get(current)?.leave?.();
  for (const [other, view] of opened) view.host.hidden = other !== name;
  const heading = opened.get(name).host.querySelector("h1");
  document.title = name === "check" ? "Assay" : `${heading.textContent} · Assay`;
  // A reader who moved by keyboard goes on from the new view; the first drawing leaves the focus alone.
  if (!first && current !== name) {
    heading.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }
  current = name;
  // While it waits for the server the view says so (css/ink.css), if that takes long enough to wonder.
  const { host, enter } = opened.get(name);
  host.setAttribute("aria-busy", "true");
  Promise.resolve(enter?.(rest)).finally(() => host.removeAttribute("aria-busy"));
}

let lost = null;

/** In place of a view that could not be fetched: what is wrong, and another try. */
function sayLost(name, rest, error) {
  opened.get(current)?.leave?.();
  current = null;
  for (const view of opened.values()) view.host.hidden = true;
  lost?.remove();
  const message = h("p", { class: "message", role: "alert" });
  lost = h("section", { class: `view ${name} lost` }, h("h1", { tabindex: -1 }, name[0].toUpperCase() + name.slice(1)), message);
  main.append(lost);
  tell(message, error.message, () => show(name, rest));
}

const THEMES = { auto: "as the system", light: "light", dark: "dark" };

function setTheme(name) {
  const button = document.getElementById("theme");
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  keep("assay-theme", name);
  button.textContent = name[0].toUpperCase() + name.slice(1);
  button.setAttribute("aria-label", `Colours: ${THEMES[name]}`);
}

function turnTheme() {
  const names = Object.keys(THEMES);
  const next = names[(names.indexOf(document.documentElement.dataset.theme ?? "auto") + 1) % names.length];
  setTheme(next);
  announce(`Colours: ${THEMES[next]}`);
}

function keep(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // A choice that cannot be kept still holds for this visit.
  }
}

function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

const KEYS = [
  ["j, k", "next and previous claim"],
  ["n, p", "next and previous problem"],
  ["Enter", "show the evidence of the claim in focus; press again where claims overlap"],
  ["1 to 8", "the views, in the order of the menu"],
  ["t", "light, dark or as the system"],
  ["Esc", "close what lies on top"],
  ["?", "this list"],
];

const helpDialog = h(
  "dialog",
  { class: "leaf", "aria-labelledby": "keys-title" },
  h("h2", { id: "keys-title" }, "Keys"),
  h("dl", {}, KEYS.map(([key, does]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, does)])),
  h(
    "label",
    { class: "choice" },
    h("input", { type: "checkbox", id: "single-keys", onchange: (event) => keep("assay-keys", event.target.checked ? "on" : "off") }),
    "Single keys work",
  ),
  h("form", { method: "dialog" }, h("button", { class: "primary" }, "Close")),
);

const keyDialog = h(
  "dialog",
  { class: "leaf", "aria-labelledby": "key-title" },
  h("h2", { id: "key-title" }, "This server asks for a key"),
  h("p", {}, "The key is kept until this tab is closed, and sent to this server only."),
  h(
    "form",
    { method: "dialog" },
    h("label", { for: "key" }, "API key"),
    h("input", { id: "key", type: "password", autocomplete: "off", spellcheck: "false" }),
    h("button", { class: "primary", value: "ok" }, "Use this key"),
  ),
);

let asking = null;
/** Asks for a key once, however many requests were refused; true when there is a new one to try. */
function askForKey() {
  asking ??= new Promise((settle) => {
    const field = keyDialog.querySelector("#key");
    field.value = "";
    keyDialog.returnValue = "";
    keyDialog.showModal();
    field.focus();
    keyDialog.onclose = () => {
      asking = null;
      const given = keyDialog.returnValue === "ok" && field.value.trim();
      if (given) setKey(field.value.trim());
      settle(Boolean(given));
    };
  });
  return asking;
}

function press(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
  if (document.querySelector("dialog[open]")) return;
  const view = opened.get(current);
  if (event.key === "Escape") {
    document.querySelector(".menu").open = false;
    view?.escape?.();
    return;
  }
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (typing || kept("assay-keys") === "off") return;
  if (event.key === "j") view?.step?.(1);
  else if (event.key === "k") view?.step?.(-1);
  else if (event.key === "n") view?.problem?.(1);
  else if (event.key === "p") view?.problem?.(-1);
  else if (event.key === "t") turnTheme();
  else if (event.key === "?") openHelp();
  else if (/^[1-8]$/.test(event.key)) location.hash = `#/${NAMES[Number(event.key) - 1]}`;
  else return;
  event.preventDefault();
}

function openHelp() {
  helpDialog.querySelector("#single-keys").checked = kept("assay-keys") !== "off";
  helpDialog.showModal();
}

async function tellState() {
  const line = document.getElementById("state");
  try {
    const health = await get("v1/health");
    const facts = [health.version && `Assay ${health.version}`, health.judge && `judge ${health.judge}`];
    line.textContent = facts.filter(Boolean).map(visible).join(" · ") || "The server is up.";
  } catch (error) {
    line.textContent = error.message;
  }
}

document.body.append(helpDialog, keyDialog);
onLocked(askForKey);
setTheme(document.documentElement.dataset.theme ?? "auto");
document.getElementById("theme").addEventListener("click", turnTheme);
document.getElementById("help").addEventListener("click", openHelp);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("click", (event) => {
  if (!event.target.closest(".menu")) document.querySelector(".menu").open = false;
});
addEventListener("keydown", press);
addEventListener("hashchange", route);
route();
tellState();

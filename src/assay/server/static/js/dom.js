// Makes elements. Text only ever goes in as text: there is no way through here for a string to become markup.

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set("svg g path line rect circle text use title polyline polygon tspan".split(" "));

/** An element: `on…` properties are listeners, `class` and `data-…` as in markup, children are nodes or text. */
export function h(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children);
}

/** An element of a drawing. */
export function s(name, properties = {}, ...children) {
  if (!DRAWN.has(name)) throw new Error(`${name} is not drawn here`);
  return fill(document.createElementNS(SVG, name), properties, children);
}

function fill(element, properties, children) {
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** The punch of a verdict: a shape of its own, so that it can be told without colour. */
export function punch(name) {
  const icon = s("svg", { class: `punch ${name}`, "aria-hidden": "true", focusable: "false" });
  icon.append(s("use", { href: `#punch-${name}` }));
  return icon;
}

/** Facts that most readers do not need, folded away; each is [name, value, what it means]. */
export function details(title, facts, ...more) {
  const given = facts.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false);
  return h(
    "details",
    { class: "details" },
    h("summary", {}, title),
    more,
    h("dl", {}, given.map(([name, value, meaning]) => [h("dt", {}, name), h("dd", {}, String(value), h("span", { class: "meaning" }, meaning))])),
  );
}

/** Says in place what went wrong, and offers to do it once more; nothing to say empties the place. */
export function tell(place, text, retry = null) {
  const again = retry && h("button", { type: "button", class: "quiet", onclick: () => (tell(place, ""), retry()) }, "Try again");
  place.replaceChildren(text, ...(text && again ? [" ", again] : []));
}

/** Shows that work goes on: what, for how long, and a way out of it; the function it gives ends that. */
export function wait(place, doing, cancel) {
  const began = performance.now();
  const passed = h("span", { "aria-hidden": "true" });
  const said = h("span", {}, doing);
  place.replaceChildren(said, passed, h("button", { type: "button", class: "quiet", onclick: cancel }, "Cancel"));
  const clock = setInterval(() => (passed.textContent = `${Math.floor((performance.now() - began) / 1000)} s`), 1000);
  const end = () => {
    clearInterval(clock);
    place.replaceChildren();
  };
  return { say: (text) => (said.textContent = text), end };
}

/** Says something to a screen reader without moving the focus. */
export function announce(text) {
  document.getElementById("announce").textContent = text;
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Scrolls a box so that a target stands in its upper third. */
export function bring(box, target) {
  const frame = box.getBoundingClientRect();
  const top = target.getBoundingClientRect().top - frame.top + box.scrollTop - frame.height / 3;
  box.scrollTo({ top, behavior: calm() ? "auto" : "smooth" });
}

/** Puts a text where it can be pasted from. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without the clipboard interface (no secure address) the old way is left.
    const field = h("textarea", { class: "unseen", value: text });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

/** Hands a text to the reader as a file. */
export function download(name, blob) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

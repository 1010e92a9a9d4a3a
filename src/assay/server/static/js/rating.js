// How far an answer can be relied on: a level in words, and the formula behind it one click away.

import { h } from "./dom.js";
import { share } from "./words.js";

const LEVELS = { High: "high", Medium: "medium", Low: "low", "Very Low": "very-low" };
const BOUNDS = "High from 0.90 on, and only if every claim is fully supported; Medium from 0.70, Low from 0.50, Very low below.";

/** `rating` as the server gives it; nothing where nothing could be checked. */
export function drawRating(rating) {
  if (!rating) return null;
  const { confidence, level, supported, partial, unsupported, fully_supported: full } = rating;
  const all = supported + partial + unsupported;
  const steps = [
    `(${supported} supported + ½ × ${partial} in part) ÷ ${all}`,
    `− 0.1 × ${unsupported} contradicted, not confirmed or in error`,
    full ? "+ 0.1, as every claim is fully supported" : "",
  ];
  return h(
    "details",
    { class: `rating ${LEVELS[level] ?? ""}` },
    h("summary", {}, "Confidence: ", h("strong", {}, level === "Very Low" ? "Very low" : level), meter(level)),
    h("p", { class: "formula" }, steps.filter(Boolean).join(" "), " = ", h("strong", {}, share(confidence)), confidence <= 0 || confidence >= 1 ? ", kept between 0 and 1" : ""),
    h("p", { class: "meaning" }, BOUNDS),
  );
}

/** Four steps, as many filled as the level is high. */
function meter(level) {
  const filled = ["Very Low", "Low", "Medium", "High"].indexOf(level) + 1;
  return h("span", { class: "meter", "aria-hidden": "true" }, [1, 2, 3, 4].map((step) => h("i", { class: step <= filled ? "on" : "" })));
}

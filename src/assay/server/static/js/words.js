// The words and signs every view shares.

const SIGNS = {
  SUPPORTED: { name: "supported", word: "supported" },
  REFUTED: { name: "refuted", word: "contradicted" },
  INSUFFICIENT: { name: "insufficient", word: "not confirmed" },
  NOT_CHECKABLE: { name: "not-checkable", word: "not checkable" },
  ERROR: { name: "error", word: "error" },
};
export const VERDICTS = Object.keys(SIGNS);
const PENDING = { name: "pending", word: "being checked" };
export const LEDGER = {
  supported: { name: "supported", word: "supported" },
  weak: { name: "weak", word: "supported in part" },
  contradicted: { name: "refuted", word: "contradicted" },
  not_found: { name: "insufficient", word: "not confirmed" },
};

/** Where claims overlap, the words they share are marked with the worst of their verdicts. */
export const GRAVITY = ["REFUTED", "ERROR", "INSUFFICIENT", "SUPPORTED", "NOT_CHECKABLE", "PENDING"];
export const STANCES = ["refutes", "supports", "neutral"];
/** What a quote does to the claim it is shown for. */
export const STANCE_WORDS = { refutes: "contradicts it", supports: "supports it", neutral: "related, does not settle it" };

/** A verdict this page does not know is shown as an error, never as something it is not. */
export const signOf = (verdict) => SIGNS[verdict] ?? (verdict === "PENDING" ? PENDING : SIGNS.ERROR);

/** The word for a verdict or a label, also for one that this page does not know. */
export const wordOf = (verdict) => SIGNS[verdict]?.word ?? plain(verdict);

export function describe(claim) {
  const partial = claim.support === "partial" && ["SUPPORTED", "INSUFFICIENT"].includes(claim.verdict);
  if (!partial) return signOf(claim.verdict).word;
  return claim.verdict === "SUPPORTED" ? "supported in part" : `${signOf(claim.verdict).word}, supported in part`;
}

export const gravest = (claims, numbers) =>
  [...numbers].sort((a, b) => GRAVITY.indexOf(claims[a].verdict) - GRAVITY.indexOf(claims[b].verdict) || a - b)[0];

export const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
export const weight = (bytes) => (bytes < 1024 ? `${bytes} B` : bytes < 1024 ** 2 ? `${Math.round(bytes / 1024)} kB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`);
const claims = (count) => (count === 1 ? "one claim" : `${count} claims`);

/** The outcome as one sentence for a reader who has never seen a verdict. */
export function outcome(report) {
  const counts = report.counts ?? {};
  const scored = scoredOf(report);
  if (report.skipped) return "This answer was not checked";
  if (!scored) return counts.ERROR ? `${claims(counts.ERROR).replace(/^o/, "O")} could not be checked` : "Nothing in this answer can be checked";
  const faults = [
    counts.REFUTED ? `${claims(counts.REFUTED)} contradicted by the sources` : "",
    counts.INSUFFICIENT ? `${counts.REFUTED ? (counts.INSUFFICIENT === 1 ? "one" : counts.INSUFFICIENT) : claims(counts.INSUFFICIENT)} not confirmed` : "",
    counts.ERROR ? `${counts.REFUTED || counts.INSUFFICIENT ? (counts.ERROR === 1 ? "one" : counts.ERROR) : claims(counts.ERROR)} could not be checked` : "",
  ].filter(Boolean);
  if (faults.length) return faults.join(", ").replace(/^o/, "O");
  const backed = scored === 1 ? "The sources support the claim" : `The sources support all ${scored} claims`;
  return report.grounded === false ? `${backed}, but not through what the answer cites` : backed;
}

/** The verdict whose look a whole answer gets: never that of support where its citations do not hold. */
export const outcomeSign = (report) => signOf(report.verdict === "SUPPORTED" && report.grounded === false ? "INSUFFICIENT" : report.verdict);

/** How many claims got a verdict. */
export const scoredOf = ({ counts = {} }) => ["SUPPORTED", "REFUTED", "INSUFFICIENT"].reduce((sum, verdict) => sum + (counts[verdict] ?? 0), 0);

/** A share without false certainty: 0.999 is not shown as 1.00. */
export const share = (value) =>
  typeof value === "number" ? (Math.floor(value * 100 + 1e-9) / 100).toFixed(2) : "n/a";
export const percent = (value, digits = 0) => (typeof value === "number" ? `${(value * 100).toFixed(digits)} %` : "n/a");

export const plain = (name) => String(name ?? "").replaceAll("_", " ").toLowerCase();

/** Where a quote stands: document, page, offsets. */
export const place = (item) =>
  `${item.document}${item.page === null || item.page === undefined ? "" : ` p. ${item.page}`}, ${item.start}–${item.end}`;

export function clip(text, limit) {
  const line = visible(text).replace(/ ?\[cite:[\w-]+\]/g, "").replace(/\s+/g, " ").trim();
  return line.length > limit ? `${line.slice(0, limit - 1).trimEnd()}…` : line;
}

export function when(time) {
  const moment = typeof time === "number" ? new Date(time * 1000) : new Date(time);
  if (Number.isNaN(moment.getTime())) return String(time ?? "");
  return `${moment.toISOString().replace("T", " ").slice(0, 16)} UTC`;
}

// A control character is drawn as its picture, and a direction override is named instead of obeyed.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu;
export function visible(text) {
  return String(text ?? "")
    .replace(/\r\n|[\u2028\u2029]/g, "\n")
    .replace(HIDDEN, (character) => {
      const code = character.codePointAt(0);
      if (code < 0x20) return String.fromCharCode(0x2400 + code);
      if (code === 0x7f) return "\u2421";
      if (code < 0xa0 || code >= 0xd800) return "\ufffd";
      return `⟨U+${code.toString(16).toUpperCase()}⟩`;
    });
}

// Finds the numbers on which a refutation turns: the one in the answer, and the one in the source that it is not.

const WORD = /\d+(?:[.,:/]\d+)*|[\p{L}\p{M}]+(?:[’'-][\p{L}\p{M}]+)*/gu;
const READ = 4000; // a longer quote is a chapter, not a sentence

/** UTF-16 stretches of the claim and of the quote that state different numbers. */
export function differingNumbers(claim, quote) {
  const ours = wordsOf(claim.slice(0, READ));
  const theirs = wordsOf(quote.slice(0, READ));
  const stated = new Set(theirs.map((word) => word.key));
  const claimed = new Set(ours.map((word) => word.key));
  const strange = ours.filter((word) => word.numeric && !stated.has(word.key));
  const others = theirs.filter((word) => word.numeric && !claimed.has(word.key));
  if (!strange.length || !others.length) return { claim: [], quote: [] };
  const units = new Set(strange.map((word) => word.unit).filter(Boolean));
  const lengths = new Set(strange.map((word) => word.key.length));
  const sameUnit = others.filter((word) => units.has(word.unit));
  const sameLength = others.filter((word) => lengths.has(word.key.length));
  return { claim: strange, quote: [sameUnit, sameLength, others].find((list) => list.length) };
}

function wordsOf(text) {
  // The 3 of "[3]" is no number of the claim.
  const read = text.replace(/\[\d+\]/g, (anchor) => " ".repeat(anchor.length));
  const words = [...read.matchAll(WORD)].map((match) => ({
    key: match[0].replace(/(?<=\d),(?=\d{3})/g, "").toLowerCase(),
    numeric: /^\d/.test(match[0]),
    start: match.index,
    end: match.index + match[0].length,
  }));
  words.forEach((word, at) => {
    const next = words[at + 1];
    word.unit = next && !next.numeric ? next.key : "";
  });
  return words;
}

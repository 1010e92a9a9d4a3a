// Cuts a text where marks begin and end, so that overlapping marks can be drawn one stretch at a time.

/** Adjoining stretches of [0, length); `marks` are {start, end, owner}, `strong` are the decisive words. */
export function splitSegments(length, marks, strong = []) {
  const kept = marks.map((mark) => clip(mark, length)).filter((mark) => mark.start < mark.end);
  const heavy = strong.map((mark) => clip(mark, length)).filter((mark) => mark.start < mark.end);
  const edges = [...kept, ...heavy].flatMap((mark) => [mark.start, mark.end]);
  const cuts = [...new Set([0, length, ...edges])].sort((a, b) => a - b);
  const opening = Map.groupBy ? Map.groupBy(kept, (mark) => mark.start) : group(kept, "start");
  const closing = Map.groupBy ? Map.groupBy(kept, (mark) => mark.end) : group(kept, "end");
  const active = new Map();
  const segments = [];
  for (let at = 0; at + 1 < cuts.length; at += 1) {
    const [start, end] = [cuts[at], cuts[at + 1]];
    for (const { owner } of closing.get(start) ?? []) {
      if (active.get(owner) > 1) active.set(owner, active.get(owner) - 1);
      else active.delete(owner);
    }
    for (const { owner } of opening.get(start) ?? []) active.set(owner, (active.get(owner) ?? 0) + 1);
    segments.push({
      start,
      end,
      owners: [...active.keys()].sort((a, b) => a - b),
      opens: owners(opening.get(start)),
      closes: owners(closing.get(end)),
      strong: heavy.some((mark) => mark.start <= start && end <= mark.end),
    });
  }
  return segments;
}

const clip = (mark, length) => ({ ...mark, start: Math.max(0, mark.start), end: Math.min(mark.end, length) });
const owners = (marks = []) => [...new Set(marks.map((mark) => mark.owner))].sort((a, b) => a - b);

function group(marks, side) {
  const groups = new Map();
  for (const mark of marks) groups.set(mark[side], [...(groups.get(mark[side]) ?? []), mark]);
  return groups;
}

// The server counts code points, JavaScript counts UTF-16 units. This maps one onto the other exactly.

/** A text that can be cut by code point offsets. */
export class Points {
  constructor(text) {
    this.text = text;
    this.wide = []; // the code point offset of each character that takes two units
    for (let unit = 0, point = 0; unit < text.length; point += 1) {
      const two = text.codePointAt(unit) > 0xffff;
      if (two) this.wide.push(point);
      unit += two ? 2 : 1;
    }
    this.length = text.length - this.wide.length;
  }

  /** The unit offset at which a code point begins. */
  unit(point) {
    return point + below(this.wide, point);
  }

  /** The code point that begins at a unit offset. */
  point(unit) {
    let [low, high] = [0, this.wide.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.wide[middle] + middle < unit) low = middle + 1;
      else high = middle;
    }
    return unit - low;
  }

  slice(start, end) {
    return this.text.slice(this.unit(start), this.unit(end));
  }
}

/** How many code points the first `units` units of a text are. */
export const pointsIn = (text, units) => [...text.slice(0, units)].length;

/** How many numbers of a sorted list are smaller than a bound. */
function below(sorted, bound) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Reads Markdown into a tree of blocks. Its leaves are stretches of the text itself, so that marks stay exact on what is drawn.
// Nothing here makes markup out of text: HTML in a text stays text, and a link is one to the web or to a mail address only.

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+|$)/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)([-*+•]|\d{1,3}[.)])(?:[ \t]+|$)/;
const DIVIDER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const LONGEST = 1000; // characters between two emphasis marks

/** Blocks of a text: {tag, children, …} with leaves {start, end} in UTF-16 units; null where the text has no markup at all. */
export function parseMarkdown(text) {
  const reader = new Reader(text);
  const lines = [];
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    lines.push({ start, end });
    start = end + 1;
  }
  const blocks = reader.blocks(lines);
  return reader.marked ? blocks : null;
}

/** The leaves of a tree, in order. */
export const leavesOf = (nodes) => nodes.flatMap((node) => (node.children ? leavesOf(node.children) : [node]));

class Reader {
  constructor(text) {
    this.text = text;
    this.marked = false;
  }

  words({ start, end }) {
    return this.text.slice(start, end);
  }

  blocks(lines, depth = 0) {
    const found = [];
    for (let at = 0; at < lines.length; ) {
      if (!this.words(lines[at]).trim()) {
        at += 1;
        continue;
      }
      const [block, next] = this.block(lines, at, depth);
      if (block) found.push(block);
      at = next;
    }
    return found;
  }

  /** The block that begins on a line, and the line after it. */
  block(lines, at, depth) {
    const line = this.words(lines[at]);
    const special =
      this.fence(lines, at, line) ??
      this.heading(lines, at, line) ??
      this.rule(at, line) ??
      this.table(lines, at, line) ??
      (depth < 8 ? (this.quote(lines, at, line, depth) ?? this.list(lines, at, line, depth)) : null);
    if (special) {
      this.marked = true;
      return special;
    }
    return this.paragraph(lines, at);
  }

  fence(lines, at, line) {
    const mark = FENCE.exec(line)?.[1];
    if (!mark) return null;
    let end = at + 1;
    while (end < lines.length && !closes(this.words(lines[end]), mark)) end += 1;
    if (end >= lines.length) return null; // never closed: a line of decoration, and what follows is text
    const body = lines.slice(at + 1, end);
    const leaves = body.map(({ start, end: stop }, n) => ({ start, end: n + 1 < body.length ? stop + 1 : stop })).filter(filled);
    return [{ tag: "pre", children: [{ tag: "code", children: leaves }] }, end + 1];
  }

  heading(lines, at, line) {
    const mark = HEADING.exec(line);
    if (!mark) return null;
    const start = lines[at].start + mark[0].length;
    const end = start + line.slice(mark[0].length).replace(/[ \t]+#+[ \t]*$/, "").trimEnd().length;
    return [{ tag: "heading", level: mark[1].length, children: this.inline([{ start, end }]) }, at + 1];
  }

  rule(at, line) {
    return RULE.test(line) ? [{ tag: "hr", children: [] }, at + 1] : null;
  }

  table(lines, at, line) {
    if (!line.includes("|") || at + 1 >= lines.length) return null;
    const divider = this.words(lines[at + 1]);
    if (!divider.includes("-") || !DIVIDER.test(divider)) return null;
    const head = this.cells(lines[at]);
    const columns = this.cells(lines[at + 1]).map((cell) => this.words(cell));
    if (head.length !== columns.length) return null;
    const align = columns.map((rule) => (rule.endsWith(":") ? (rule.startsWith(":") ? "center" : "end") : "start"));
    let end = at + 2;
    while (end < lines.length && this.words(lines[end]).includes("|")) end += 1;
    const row = (line_, tag) => ({
      tag: "tr",
      children: this.cells(line_)
        .slice(0, head.length)
        .map((cell, n) => ({ tag, align: align[n], children: this.inline([cell]) })),
    });
    return [
      {
        tag: "table",
        children: [
          { tag: "thead", children: [row(lines[at], "th")] },
          { tag: "tbody", children: lines.slice(at + 2, end).map((one) => row(one, "td")) },
        ],
      },
      end,
    ];
  }

  /** The cells of a row; "\|" is a bar and no border. */
  cells(line) {
    const text = this.words(line);
    const edges = [-1, ...[...text.matchAll(/(?<!\\)\|/g)].map((bar) => bar.index), text.length];
    const cells = edges.slice(1).map((to, n) => trimmed(text, edges[n] + 1, to));
    if (/^\s*\|/.test(text)) cells.shift();
    if (/(?<!\\)\|\s*$/.test(text)) cells.pop();
    return cells.map(({ start, end }) => ({ start: line.start + start, end: line.start + end }));
  }

  quote(lines, at, line, depth) {
    if (!QUOTE.test(line)) return null;
    let end = at;
    const inner = [];
    for (; end < lines.length; end += 1) {
      const mark = QUOTE.exec(this.words(lines[end]));
      if (!mark) break;
      inner.push({ start: lines[end].start + mark[0].length, end: lines[end].end });
    }
    return [{ tag: "blockquote", children: this.blocks(inner, depth + 1) }, end];
  }

  list(lines, at, line, depth) {
    const first = ITEM.exec(line);
    if (!first || first[0].length === line.length) return null;
    const ordered = /\d/.test(first[2]);
    const outer = first[1].length;
    const items = [];
    let end = at;
    while (end < lines.length) {
      const mark = ITEM.exec(this.words(lines[end]));
      const same = mark && Math.abs(mark[1].length - outer) < 2 && /\d/.test(mark[2]) === ordered && !RULE.test(this.words(lines[end]));
      if (!same) break;
      const inner = [{ start: lines[end].start + mark[0].length, end: lines[end].end }];
      const number = ordered ? parseInt(mark[2], 10) : null;
      end += 1;
      while (end < lines.length) {
        const text = this.words(lines[end]);
        const indent = text.length - text.trimStart().length;
        const blank = !text.trim();
        if (blank && !this.goesOn(lines, end + 1, outer)) break;
        const lazy = !blank && indent < outer + 2 && this.words(inner.at(-1)).trim() && !this.begins(text);
        if (!blank && indent < outer + 2 && !lazy) break;
        const cut = Math.min(indent, mark[0].length);
        inner.push({ start: Math.min(lines[end].start + cut, lines[end].end), end: lines[end].end });
        end += 1;
      }
      items.push({ tag: "li", number, children: this.blocks(inner, depth + 1) });
      let next = end;
      while (next < lines.length && !this.words(lines[next]).trim()) next += 1;
      if (next > end && next < lines.length && ITEM.test(this.words(lines[next]))) end = next;
    }
    return items.length ? [{ tag: ordered ? "ol" : "ul", children: items }, end] : null;
  }

  /** Whether an item goes on behind a blank line: what follows is set in under it. */
  goesOn(lines, at, outer) {
    let next = at;
    while (next < lines.length && !this.words(lines[next]).trim()) next += 1;
    if (next >= lines.length) return false;
    const text = this.words(lines[next]);
    return text.length - text.trimStart().length >= outer + 2;
  }

  begins(line) {
    return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line);
  }

  paragraph(lines, at) {
    let end = at + 1;
    while (end < lines.length) {
      const line = this.words(lines[end]);
      if (!line.trim()) break;
      if (/^ {0,3}(?:=+|-{2,})[ \t]*$/.test(line)) {
        this.marked = true;
        const level = line.includes("=") ? 1 : 2;
        return [{ tag: "heading", level, children: this.inline(this.trim(lines.slice(at, end))) }, end + 1];
      }
      const item = ITEM.exec(line);
      if (FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || (item && item[0].length < line.length)) break;
      if (line.includes("|") && end + 1 < lines.length && DIVIDER.test(this.words(lines[end + 1]))) break;
      end += 1;
    }
    return [{ tag: "p", children: this.inline(this.trim(lines.slice(at, end))) }, end];
  }

  trim(lines) {
    return lines.map(({ start, end }) => {
      const cut = trimmed(this.text.slice(start, end), 0, end - start);
      return { start: start + cut.start, end: start + cut.end };
    });
  }

  /** The inline nodes of some lines: their words are put together, and each letter remembers where it stands. */
  inline(lines) {
    let text = "";
    const places = [];
    for (const [n, { start, end }] of lines.entries()) {
      text += this.text.slice(start, end);
      for (let at = start; at < end; at += 1) places.push(at);
      if (n + 1 < lines.length) {
        text += "\n";
        places.push(this.text.indexOf("\n", end));
      }
    }
    const nodes = readInline(text, 0, text.length, 0);
    if (nodes.some((node) => node.children)) this.marked = true;
    return place(nodes, places);
  }
}

const filled = ({ start, end }) => start < end;
const closes = (line, mark) => FENCE.exec(line)?.[1].startsWith(mark) && !line.replace(FENCE, "").trim();

function trimmed(text, from, to) {
  let [start, end] = [from, Math.max(from, to)];
  while (start < end && /\s/.test(text[start])) start += 1;
  while (end > start && /\s/.test(text[end - 1])) end -= 1;
  return { start, end };
}

/** Leaves at their places in the whole text; one is cut where its letters do not adjoin there. */
function place(nodes, places) {
  return nodes.flatMap((node) => {
    if (node.children) return [{ ...node, children: place(node.children, places) }];
    const cut = [];
    for (let at = node.start; at < node.end; at += 1) {
      const last = cut.at(-1);
      if (last && last.end === places[at]) last.end += 1;
      else cut.push({ start: places[at], end: places[at] + 1 });
    }
    return cut;
  });
}

const between = (mark) => new RegExp(`${mark}(?=\\S)((?:(?!${mark})[^]){0,${LONGEST}}?\\S)${mark}`, "y");
const PATTERNS = {
  "`": [[/(`+)(?!`)([^]{1,1000}?[^`]|[^`])\1(?!`)/y, "code"]],
  "*": [
    [between("\\*\\*\\*"), "both"],
    [between("\\*\\*"), "strong"],
    [/\*(?![\s*])([^*]{0,1000}[^\s*])\*(?![\p{L}\p{N}*])/uy, "em"],
  ],
  _: [
    [/__(?![\s_])([^_]{0,1000}[^\s_])__(?![\p{L}\p{N}_])/uy, "strong"],
    [/_(?![\s_])([^_]{0,1000}[^\s_])_(?![\p{L}\p{N}_])/uy, "em"],
  ],
  "~": [[between("~~"), "s"]],
};
const LINK = /(!?)\[((?:[^[\]\\]|\\.){1,1000})\]\(\s*<?([^\s()<>]{1,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500})*)>?(?:\s+"[^"\n]{0,500}")?\s*\)/y;
const ADDRESS = /<((?:https?:|mailto:)[^\s<>]{1,2000})>/iy;
const BARE = /https?:[/]{2}[^\s<>"'`|\]]{0,2000}[^\s<>"'`|\].,;:!?)*_]/iy;

function readInline(text, from, to, depth) {
  const nodes = [];
  let plain = from;
  let at = from;
  const flush = (end) => {
    if (plain < end) nodes.push({ start: plain, end });
  };
  const put = (node, end) => {
    flush(at);
    nodes.push(node);
    at = plain = end;
  };
  while (at < to) {
    const sign = text[at];
    const free = at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]);
    if (sign === "\\" && at + 1 < to && /[!-/:-@[-`{-~]/.test(text[at + 1])) {
      put({ tag: "span", children: [{ start: at + 1, end: at + 2 }] }, at + 2);
      continue;
    }
    const link = (sign === "[" || sign === "!") && match(LINK, text, at, to);
    if (link && safeAddress(link[3])) {
      const start = at + link[1].length + 1;
      const children = depth < 6 ? readInline(text, start, start + link[2].length, depth + 1) : [{ start, end: start + link[2].length }];
      // A picture is not fetched: it would tell another host who reads. Its words are shown, and its address can be opened.
      put({ tag: "link", href: safeAddress(link[3]), children }, at + link[0].length);
      continue;
    }
    const address = sign === "<" ? match(ADDRESS, text, at, to) : free && /h/i.test(sign) ? match(BARE, text, at, to) : null;
    if (address && safeAddress(address[1] ?? address[0])) {
      const start = at + (address[1] ? 1 : 0);
      put({ tag: "link", href: safeAddress(address[1] ?? address[0]), children: [{ start, end: start + (address[1] ?? address[0]).length }] }, at + address[0].length);
      continue;
    }
    const found = (free || sign === "`" || text.startsWith("**", at)) && depth < 6 && spanned(text, at, to);
    if (found) {
      const { tag, start, end, next } = found;
      const inner = tag === "code" ? [{ start, end }] : readInline(text, start, end, depth + 1);
      put(tag === "both" ? { tag: "strong", children: [{ tag: "em", children: inner }] } : { tag, children: inner }, next);
      continue;
    }
    // A run of marks that opens nothing is plain, all of it.
    at += 1;
    if ("*_~`".includes(sign)) while (at < to && text[at] === sign) at += 1;
  }
  flush(to);
  return nodes;
}

function spanned(text, at, to) {
  for (const [pattern, tag] of PATTERNS[text[at]] ?? []) {
    const found = match(pattern, text, at, to);
    if (!found) continue;
    const width = tag === "code" ? found[1].length : { both: 3, strong: 2, s: 2, em: 1 }[tag];
    return { tag, start: at + width, end: at + found[0].length - width, next: at + found[0].length };
  }
  return null;
}

function match(pattern, text, at, to) {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found && at + found[0].length <= to ? found : null;
}

/** An address that may be linked to, or null. */
export function safeAddress(address) {
  try {
    const url = new URL(address);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

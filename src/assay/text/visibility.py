"""Which text of HTML a sighted reader does not see: by element, attribute, inline style and the rules of <style>.

The style is computed as a browser does it, for the properties that can hide text: rules by weight, then inherited
values. Text of the colour of its ground, without size, cut off or moved off the page counts as unseen.

>>> text = 'It is 8 m. <i style="font-size:0">It is 9 m.</i> <b hidden>Or 7.</b>'
>>> [span.of(text) for span in find_unseen(text)]
['<i style="font-size:0">It is 9 m.</i>', '<b hidden>Or 7.</b>']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from assay.errors import SourceError
from assay.text.words import words
from assay.types import Span

MAX_DEPTH = 5_000
"""Tags nested deeper than this are refused: the parser's time grows with the square of the depth."""

MAX_STYLE_WORK = 20_000_000
"""Style rules times elements that are looked at in one page; a real page has a hundredth of it."""

_SCREEN = 1280.0  # pixels; rules for narrower and wider screens do not apply
_SMALLEST = 3.0  # pixels of a letter that can be read
_FAINTEST = 0.06  # opacity
_OFF = -500.0  # pixels left of the page or above it
_FAR = 5_000.0  # pixels right of it or below
_LIKE = 24  # difference of every colour channel that the eye does not tell from none
_PIXELS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "vw": 12.8, "vh": 7.2,
           "cm": 37.8, "mm": 3.78, "in": 96.0, "pc": 16.0, "%": 6.0}  # fmt: skip

_UNSEEN_ELEMENTS = words("script style template noscript title textarea datalist iframe object")
# Tags that pretend to be a part of the examiner's own prompt.
_PRETENDED = words("claim verdict system assistant instruction instructions")
_RAW = words("script style title textarea xmp iframe noscript noembed noframes")
_VOID = words("area base br col embed hr img input link meta source track wbr p li td tr th dt dd option")
_OPENS = re.compile(r"<(?:!--|/?[a-zA-Z])")
# As the tokeniser of HTML reads a tag: quotes count only behind "=", and a "<" may stand anywhere.
_TAG = re.compile(r"</?([a-zA-Z][^\s/>]*+)(?:[\s/]++|[^\s/>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+)?+)*+>")
_MOST_UNCLOSED = 50  # tags whose quote is never closed; each is read to the end
_ANY_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*+)")
_MAY_HIDE = re.compile(r"(?i)<(?:script|style|template|noscript|claim|verdict|system|assistant|instruction)"
                       r"|\b(?:style|hidden|color|bgcolor)\b")  # fmt: skip
_COMMENT = re.compile(r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6}) ?|([^\n]))")
_BRACE = re.compile(r"\"[^\"\n]*+\"|'[^'\n]*+'|[{};]")
_DECLARATION = re.compile(
    r"(?<![\w-])([\w-]++)\s*+:((?:[^;\"'(){}]|\"[^\"]*+\"|'[^']*+'|\((?:[^()]|\([^()]*+\))*+\))*+)"
)
_PART = re.compile(r"(?:[^,()]|\([^()]*+\))++")
_COMPOUND = re.compile(r"(^|(?<!\s)\s*+[>+~]\s*+|(?<!\s)\s++)((?:[^\s>+~()\[\]]|\([^()]*+\)|\[[^\[\]]*+\])++)")
_FUNCTIONS = re.compile(r":([\w-]++)\(([^()]*+)\)")
_PSEUDO = words("not is where lang nth-child nth-last-child nth-of-type nth-last-of-type")
_NESTED = re.compile(r"[a-z*\]]\s++[a-z*.#\[]|>|~")
_NUMBER = re.compile(r"(-?(?:\d++\.?\d*+|\.\d++))([a-z%]*+)")
_CALLED = re.compile(r"(?<![a-z0-9])([a-z0-9]++)\(([^()]*+)\)")
_WIDTH = re.compile(r"(min|max)-width\s*+:\s*+(\d++)([a-z]*+)")
_VARIABLE = re.compile(r"var\(\s*+(--[\w-]++)\s*+(?:,([^()]*+))?\)")
_SPECIFIC = re.compile(r"(#)|([.\[]|(?<!:):(?!:))|(?<![\w.#:\[(=\"-])[a-zA-Z]")

_READ = words("""
    display visibility opacity font-size font color background background-color background-image position left top right
    bottom inset text-indent margin margin-left margin-top transform clip clip-path width height max-width max-height
    overflow overflow-x overflow-y filter content-visibility -webkit-text-fill-color
""")
_NEAR_WHITE = words("""
    white snow ghostwhite floralwhite ivory azure mintcream whitesmoke seashell honeydew aliceblue lavenderblush oldlace
""")
_COLOURS = {
    **dict.fromkeys(_NEAR_WHITE, (252, 252, 250)),
    "black": (0, 0, 0),
    "gray": (128, 128, 128), "grey": (128, 128, 128), "silver": (192, 192, 192), "gainsboro": (220, 220, 220),
    "red": (255, 0, 0), "green": (0, 128, 0), "blue": (0, 0, 255), "yellow": (255, 255, 0), "navy": (0, 0, 128),
    "canvas": (255, 255, 255), "canvastext": (0, 0, 0),
}  # fmt: skip

Colour = tuple[int, int, int] | str
"""Red, green and blue; or the name of one that is not known here."""


@dataclass(frozen=True, slots=True)
class Look:
    """How the text of an element is drawn."""

    gone: bool = False
    """Nothing inside is drawn, whatever it says itself."""
    invisible: bool = False
    opacity: float = 1.0
    size: float = 16.0
    colour: Colour = (0, 0, 0)
    ground: Colour | None = (255, 255, 255)
    """What is behind the text; nothing for a picture."""

    @property
    def hidden(self) -> bool:
        """Whether a reader does not see the text."""
        return (
            self.gone
            or self.invisible
            or self.opacity < _FAINTEST
            or self.size < _SMALLEST
            or self.colour == "transparent"
            or _alike(self.colour, self.ground)
        )


class PageStyle:
    """The style of a parsed page (a tree of selectolax), asked for element by element from the root down."""

    def __init__(self, tree: Any) -> None:
        self._given: dict[int, dict[str, tuple[tuple[bool, int, int], str]]] = {}
        self._variables: dict[str, str] = {}
        rules = [rule for node in tree.css("style") for rule in _rules(_plain(node.text()))]
        matcher = _Matcher(tree if rules else None)
        for order, (selectors, declared) in enumerate(rules):
            self._variables.update((name, value) for name, value, _ in declared if name.startswith("--"))
            shown = [item for item in declared if item[0] in _READ]
            for selector in _PART.findall(selectors) if shown else ():
                weight = _weight(selector)
                for node in matcher.match(selector.strip()):
                    given = self._given.setdefault(node, {})
                    for name, value, important in shown:
                        key = (important, weight, order)
                        if name not in given or given[name][0] <= key:
                            given[name] = (key, value)

    def of(self, node: Any, outer: Look) -> Look:
        """How the text of an element is drawn, inside one that is drawn like `outer`."""
        if outer.gone:
            return outer
        attributes: Mapping[str, str | None] = node.attributes
        if "hidden" in attributes or node.tag in _UNSEEN_ELEMENTS:
            return replace(outer, gone=True)
        given = self._given.get(node.mem_id)
        if not given and not attributes:
            return outer
        values = {name: (key[0], value) for name, (key, value) in (given or {}).items()}
        variables = self._variables
        for name, attribute in (("color", "color"), ("color", "text"), ("background-color", "bgcolor")):
            if attributes.get(attribute) and name not in values and (attribute != "text" or node.tag == "body"):
                values[name] = (False, (attributes[attribute] or "").strip().lower())
        if style := attributes.get("style"):
            for name, value, important in _declarations(_plain(style)):
                if name.startswith("--"):
                    variables = {**variables, name: value}
                elif important or not values.get(name, (False,))[0]:
                    values[name] = (important, value)
        if not values:
            return outer
        return _draw({name: _resolve(value, variables) for name, (_, value) in values.items()}, outer)


class _Matcher:
    """Finds the elements a selector stands for, part by part: the parser's own search is slow on deep pages."""

    def __init__(self, tree: Any) -> None:
        self._tree = tree
        self._work = 0
        self._order: list[int] = []
        self._parent: dict[int, int] = {}
        self._before: dict[int, int] = {}
        last: dict[int, int] = {}
        children: dict[int, int] = {}
        for node in tree.css("*") if tree is not None else ():
            identity, parent = node.mem_id, node.parent.mem_id if node.parent is not None else 0
            self._order.append(identity)
            self._parent[identity] = parent
            if parent in last:
                self._before[identity] = last[parent]
            last[parent] = identity
            children[parent] = children.get(parent, 0) + 1
        self._siblings = sum(count * count for count in children.values())

    def match(self, selector: str) -> Iterable[int]:
        parts = _COMPOUND.findall(selector)
        found: set[int] = set()
        for number, (combinator, compound) in enumerate(parts):
            here = self._find(compound)
            found = here if not number else {node for node in here if node in self._beside(combinator.strip(), found)}
            if not found:
                break
        return found

    def _find(self, compound: str) -> set[int]:
        """The elements one part of a selector stands for; none for what is no element ("p::before") or no CSS."""
        self._spend(len(self._order) + (self._siblings if ":" in compound else 0))
        if any(name not in _PSEUDO or _NESTED.search(inner) for name, inner in _FUNCTIONS.findall(compound)):
            return set()
        try:
            return {node.mem_id for node in self._tree.css(compound)}
        except Exception:
            return set()

    def _beside(self, combinator: str, found: set[int]) -> set[int]:
        """The elements that stand to one of `found` as the combinator says."""
        self._spend(len(self._order))
        step = self._before if combinator in ("+", "~") else self._parent
        reached: set[int] = set()
        for node in self._order:
            other = step.get(node)
            if other in found or (combinator in ("", "~") and other in reached):
                reached.add(node)
        return reached

    def _spend(self, work: int) -> None:
        self._work += work
        if self._work > MAX_STYLE_WORK:
            raise SourceError(
                f"its style rules times its elements are more than {MAX_STYLE_WORK:,}; save the page as text"
            )


def nesting(source: str) -> int:
    """How deep the tags of a page may nest at most, from one pass over its source."""
    depth = deepest = 0
    for tag in _ANY_TAG.finditer(source):
        if tag[2].lower() not in _VOID:
            depth = max(depth + (-1 if tag[1] else 1), 0)
            deepest = max(deepest, depth)
    return deepest


def find_unseen(text: str) -> list[Span]:
    """The stretches of a text with tags in it that a reader of the page does not see, comments and scripts too.

    Every tag of a copy gets a numbered comment behind it. Where the parser puts that comment tells which elements, by
    the rules of HTML, are open there.
    """
    if "<" not in text:
        return []
    comments, tags = _find_tags(text)
    unseen = [Span(start, end) for start, end in comments]
    if _MAY_HIDE.search(text):
        unseen += _unseen_between(text, sorted([*comments, *tags]))
    return list(_merged(unseen))


def _find_tags(text: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Where the comments and the tags of a text stand; an element with raw text is one tag."""
    comments: list[tuple[int, int]] = []
    tags: list[tuple[int, int]] = []
    lowered = "".join(char.lower() if char.isascii() else char for char in text) if not text.isascii() else text.lower()
    at = unclosed = 0
    last = text.rfind(">")
    while opened := _OPENS.search(text, at):
        start = opened.start()
        if opened.group() == "<!--":
            end = text.find("-->", start + 4)
            at = len(text) if end < 0 else end + 3
            comments.append((start, at))
            continue
        if start > last:  # no tag ends behind here
            at = start + 1
            continue
        tag = _TAG.match(text, start)
        if tag is None:
            at, unclosed = start + 1, unclosed + 1
            if unclosed == _MOST_UNCLOSED:
                comments.append((start, len(text)))
                break
            continue
        at, name = tag.end(), tag[1].lower()
        if name in _RAW and text[start + 1] != "/":
            end = lowered.find(f"</{name}", at)
            end = text.find(">", end) if end >= 0 else -1
            at = len(text) if end < 0 else end + 1
        tags.append((start, at))
    return comments, tags


def _unseen_between(text: str, places: list[tuple[int, int]]) -> Iterator[Span]:
    from selectolax.lexbor import LexborHTMLParser

    if not places:
        return
    marked: list[str] = []
    at = 0
    for number, (start, end) in enumerate(places):
        own = "" if text.startswith("<!--", start) else text[start:end]
        marked += (text[at:start], own, f"<!--{number}-->")
        at = end
    try:
        if nesting(text) > MAX_DEPTH:
            raise SourceError("nested too deeply")
        tree: Any = LexborHTMLParser("".join((*marked, text[at:])))
        style = PageStyle(tree)
    except SourceError:  # too much of it to tell: nothing behind the first tag is taken for seen
        yield Span(places[0][0], len(text))
        return
    shown = {number for number, look in _numbered(tree.root.parent, style) if not look.hidden}
    for number, (start, end) in enumerate(places):
        following = places[number + 1] if number + 1 < len(places) else (len(text), len(text))
        name = _ANY_TAG.match(text, start)
        if number not in shown:
            yield Span(start, following[1] if text.startswith("</", following[0]) else following[0])
        elif name and name[2].lower() in _UNSEEN_ELEMENTS and not name[1]:
            yield Span(start, end)


def _merged(spans: Iterable[Span]) -> Iterator[Span]:
    """The spans in order, those that touch as one."""
    kept: Span | None = None
    for span in sorted(spans):
        if kept is not None and span.start <= kept.end:
            kept = Span(kept.start, max(kept.end, span.end))
        else:
            if kept is not None:
                yield kept
            kept = span
    if kept is not None:
        yield kept


def _numbered(root: Any, style: PageStyle) -> Iterator[tuple[int, Look]]:
    """The numbered comments of a tree, each with the look of what is around it."""
    todo = [(root, Look())]
    while todo:
        node, outer = todo.pop()
        if node.is_comment_node:
            yield int(node.comment_content), outer
        elif not node.is_text_node:
            look = outer
            if node.is_element_node:
                look = replace(outer, gone=True) if node.tag in _PRETENDED else style.of(node, outer)
            child = node.first_child
            while child is not None:
                todo.append((child, look))
                child = child.next


def _plain(css: str) -> str:
    """CSS without comments and escapes, in lower case."""
    css = _COMMENT.sub(" ", css)
    if "\\" in css:
        css = _ESCAPE.sub(lambda found: _character(found[1]) if found[1] else found[2], css)
    return css


def _character(code: str) -> str:
    number = int(code, 16)
    return chr(number) if 0 < number < 0x110000 else "\ufffd"


def _rules(css: str) -> Iterator[tuple[str, list[tuple[str, str, bool]]]]:
    """The rules that apply on a screen, in order: their selectors and what they declare."""
    applies = [True]  # for each open brace
    selectors = ""
    start = 0
    for brace in _BRACE.finditer(css):
        mark = brace.group()
        if mark == "{":
            head = css[start : brace.start()].strip()
            if selectors:  # a rule inside a rule
                applies.append(False)
            elif head.startswith("@"):
                applies.append(applies[-1] and _on_screen(head.lower()))
            else:
                applies.append(applies[-1])
                selectors = head
            start = brace.end()
        elif mark == "}":
            if selectors and applies[-1]:
                yield selectors, list(_declarations(css[start : brace.start()]))
            selectors = ""
            start = brace.end()
            if len(applies) > 1:
                applies.pop()
        elif mark == ";" and not selectors:
            start = brace.end()
    if selectors and applies[-1]:  # never closed: a browser closes it
        yield selectors, list(_declarations(css[start:]))


def _on_screen(head: str) -> bool:
    """Whether the rules below "@media …" and the like are for a wide screen."""
    if not head.startswith(("@media", "@supports", "@layer", "@container", "@scope")):
        return False
    if head.startswith("@supports not") or ("print" in head and "screen" not in head and "not print" not in head):
        return False
    if "prefers-color-scheme: dark" in head or "prefers-color-scheme:dark" in head:
        return False
    for bound, number, unit in _WIDTH.findall(head):
        width = float(number) * _PIXELS.get(unit, 1.0)
        if (bound == "min" and width > _SCREEN) or (bound == "max" and width < _SCREEN):
            return False
    return True


def _declarations(css: str) -> Iterator[tuple[str, str, bool]]:
    """Name, value and whether it is important, for each declaration."""
    for name, value in _DECLARATION.findall(css):
        value = value.strip().lower()
        bare = value.removesuffix("important").rstrip()
        important = bare != value and bare.endswith("!")
        yield name.lower(), bare[:-1].rstrip() if important else value, important


def _weight(selector: str) -> int:
    """The specificity of a selector as one number."""
    return sum(10_000 if found[1] else 100 if found[2] else 1 for found in _SPECIFIC.finditer(selector))


def _resolve(value: str, variables: Mapping[str, str]) -> str:
    for _ in range(4):  # a variable may name another
        if "var(" not in value:
            break
        value = _VARIABLE.sub(lambda found: variables.get(found[1], found[2] or ""), value).strip()[:200]
    return value


def _draw(values: Mapping[str, str], outer: Look) -> Look:
    """The look of an element from what is declared for it and the look around it."""
    look = outer
    if _is_gone(values):
        return replace(outer, gone=True)
    if (visible := values.get("visibility")) in ("hidden", "collapse", "visible"):
        look = replace(look, invisible=visible != "visible")
    if number := _NUMBER.match(values.get("opacity", "")):
        share = float(number[1]) / (100 if number[2] == "%" else 1)
        look = replace(look, opacity=look.opacity * min(max(share, 0.0), 1.0))
    size = values.get("font-size") or _font_size(values.get("font", ""))
    if number := _NUMBER.match(size):
        by = {"%": outer.size / 100, "em": outer.size, "ex": outer.size / 2}.get(number[2], _PIXELS.get(number[2], 1.0))
        look = replace(look, size=float(number[1]) * by)
    elif size:  # a word like "medium"
        look = replace(look, size=16.0)
    ground = values.get("background-color") or values.get("background") or ""
    if "background-image" in values or "url(" in ground or "gradient(" in ground:
        look = replace(look, ground=None)
    elif ground and (painted := _colour(ground)) not in ("transparent", "none", "inherit"):
        look = replace(look, ground=painted)
    colour = values.get("-webkit-text-fill-color") or values.get("color") or ""
    if colour and colour not in ("inherit", "unset", "currentcolor"):
        look = replace(look, colour=(0, 0, 0) if colour in ("initial", "revert") else _colour(colour))
    return look


def _is_gone(values: Mapping[str, str]) -> bool:
    """Whether an element with these values is not drawn, is cut off, or stands off the page."""
    if values.get("display") == "none" or values.get("content-visibility") == "hidden":
        return True
    if values.get("position", "static") != "static":
        sides = [values.get(side, "") for side in ("left", "top", "right", "bottom")]
        if any(_is_off(side) for side in [*sides, *values.get("inset", "").split()]):
            return True
    moved = ("text-indent", "margin-left", "margin-top")
    if any(_is_off(values.get(name, "")) for name in moved) or any(map(_is_off, values.get("margin", "").split())):
        return True
    for name, inside in _CALLED.findall(f"{values.get('transform', '')} {values.get('filter', '')}"):
        numbers = _NUMBER.findall(inside)
        if name.startswith(("scale", "opacity")) and any(float(number) == 0 for number, _ in numbers):
            return True
        if name.startswith("translate") and any(_is_off(number + unit) for number, unit in numbers):
            return True
    if _is_clipped(values.get("clip", "")) or _is_clipped(values.get("clip-path", "")):
        return True
    cut = " ".join(values.get(name, "") for name in ("overflow", "overflow-x", "overflow-y"))
    sizes = (values.get(name, "") for name in ("width", "height", "max-width", "max-height"))
    return ("hidden" in cut or "clip" in cut) and any(_pixels(size, 2.0) <= 1.0 for size in sizes)


def _is_clipped(shape: str) -> bool:
    """Whether nothing is left inside the shape an element is cut to."""
    for name, inside in _CALLED.findall(shape):
        numbers = [(float(number), unit) for number, unit in _NUMBER.findall(inside)]
        if name == "rect" and len(numbers) == 4:
            (top, _), (right, _), (bottom, _), (left, _) = numbers
            return right - left <= 1 or bottom - top <= 1
        if name == "inset" and numbers:
            return all(unit == "%" and number >= 50 for number, unit in numbers)
        if name in ("circle", "ellipse", "polygon") and numbers:
            return all(number == 0 for number, _ in numbers[:6])
    return False


def _is_off(value: str) -> bool:
    pixels = _pixels(value, 0.0)
    return pixels <= _OFF or pixels >= _FAR


def _pixels(value: str, otherwise: float) -> float:
    number = _NUMBER.match(value)
    return float(number[1]) * _PIXELS.get(number[2], 1.0) if number else otherwise


def _font_size(font: str) -> str:
    """The size in a "font: italic 12px/1.5 Arial"."""
    for word in font.split():
        if (number := _NUMBER.match(word)) and (number[2] in _PIXELS and (number[2] or float(number[1]) == 0)):
            return number.group()
    return ""


def _colour(value: str) -> Colour:
    """The colour of a value; what cannot be told stays as it is written."""
    word = value.split()[0] if value and "(" not in value else value
    if word.startswith("#") or (len(word) == 6 and all(digit in "0123456789abcdef" for digit in word)):
        digits = word.lstrip("#")
        if len(digits) in (3, 4):
            digits = "".join(digit * 2 for digit in digits)
        try:
            channels = [int(digits[at : at + 2], 16) for at in range(0, len(digits), 2)]
        except ValueError:
            return word
        if len(channels) == 4 and channels[3] < 255 * _FAINTEST:
            return "transparent"
        return (channels[0], channels[1], channels[2]) if len(channels) in (3, 4) else word
    if called := _CALLED.search(value):
        parts = _NUMBER.findall(called[2])
        if len(parts) == 4 and float(parts[3][0]) / (100 if parts[3][1] else 1) < _FAINTEST:
            return "transparent"
        if called[1] in ("rgb", "rgba") and len(parts) >= 3:
            red, green, blue = (round(float(part) * (2.55 if unit else 1)) for part, unit in parts[:3])
            return red, green, blue
        if called[1] in ("hsl", "hsla") and len(parts) >= 3:
            from colorsys import hls_to_rgb

            made = hls_to_rgb(float(parts[0][0]) / 360 % 1, float(parts[2][0]) / 100, float(parts[1][0]) / 100)
            red, green, blue = (round(255 * min(max(part, 0.0), 1.0)) for part in made)
            return red, green, blue
        return value
    return _COLOURS.get(word, word)


def _alike(colour: Colour, ground: Colour | None) -> bool:
    if isinstance(colour, str) or isinstance(ground, str) or ground is None:
        return colour == ground
    return all(abs(one - other) <= _LIKE for one, other in zip(colour, ground, strict=True))

"""The text of a PDF page that is seen: not the invisible, the transparent, the white on paper, the one off the page.

The drawing instructions are followed as they are read: the state they set decides for each piece of text, and what is
not seen is emptied before its letters are taken.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any

_INVISIBLE = (3, 7)  # text rendering modes that paint nothing
_STROKED = (1, 5)
_LIGHTEST = 0.9  # share of white in each channel from where text cannot be told from paper
_FAINTEST = 0.06
_SMALLEST = 1.0  # points of a letter
_NARROW = 0.3  # of its size: how wide a letter is at least
_THIN = 3.0  # points; what is filled with less is a line
_MOST_BACKGROUNDS = 500
_SCANNED = 0.5  # share of the page that a scan covers
_SHOWS = (b"Tj", b"TJ", b"'", b'"')
_FILLS = (b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*")
_ENDS = (*_FILLS, b"n", b"S", b"s")
_GREY, _RGB, _CMYK = 1, 3, 4
_DEVICES = {b"g": _GREY, b"rg": _RGB, b"k": _CMYK, b"G": _GREY, b"RG": _RGB, b"K": _CMYK}

Matrix = tuple[float, float, float, float, float, float]
Box = tuple[float, float, float, float]
_UNIT: Box = (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class _State:
    """What the instructions so far say about text that follows."""

    mode: int = 0
    size: float = 1.0
    light: bool = False
    light_stroke: bool = False
    inked: bool = False
    """Whether the fill colour counts ink, so that 0 is white."""
    alpha: float = 1.0
    base: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(slots=True)
class _VisibilityFilter:
    """Empties the text that is not seen while a page is read."""

    page: Any
    keep_invisible: bool
    state: _State = field(default_factory=_State)
    saved: list[_State] = field(default_factory=list)
    calls: list[tuple[_State, list[_State]]] = field(default_factory=list)
    path: list[Box] = field(default_factory=list)
    backgrounds: deque[tuple[Box, bool]] = field(default_factory=lambda: deque(maxlen=_MOST_BACKGROUNDS))
    pictured: float = 0.0
    shown: int = 0
    invisible: int = 0

    def before(self, operator: bytes, operands: Any, matrix: Any, text_matrix: Any) -> None:
        if operator in _SHOWS:
            self._show(operator, operands, matrix, text_matrix)
        elif operator == b"q":
            self.saved.append(self.state)
        elif operator == b"Q":
            self.state = self.saved.pop() if self.saved else self.state
        elif operator == b"Do":
            self._draw(operands, matrix)
        elif operator in (b"INLINE IMAGE", b"EI"):
            self._picture(matrix)
        elif operator == b"sh":
            self.backgrounds.append((_box(self.page), False))
        elif operator in (b"re", b"m", b"l", b"c"):
            self._trace(operator, _numbers(operands), matrix)
        elif operator in _ENDS:
            if operator in _FILLS and self.path and self.state.alpha >= _FAINTEST:
                box = _around(self.path)
                if min(box[2] - box[0], box[3] - box[1]) >= _THIN:
                    self.backgrounds.append((box, self.state.light))
            self.path.clear()
        else:
            self._set(operator, operands)

    def after(self, operator: bytes, operands: Any, matrix: Any, text_matrix: Any) -> None:
        if operator == b"Do" and self.calls:
            self.state, self.saved = self.calls.pop()

    def _set(self, operator: bytes, operands: Any) -> None:
        numbers = _numbers(operands)
        if operator == b"Tr" and numbers:
            self.state = replace(self.state, mode=int(numbers[0]))
        elif operator == b"Tf" and numbers:
            self.state = replace(self.state, size=abs(numbers[-1]))
        elif operator in (b"g", b"rg", b"k"):
            self.state = replace(self.state, light=_is_light(numbers, _DEVICES[operator]))
        elif operator in (b"G", b"RG", b"K"):
            self.state = replace(self.state, light_stroke=_is_light(numbers, _DEVICES[operator]))
        elif operator == b"cs":
            inked = self._resource("/ColorSpace", operands, 0) in ("/Separation", "/DeviceN")
            self.state = replace(self.state, light=False, inked=inked)
        elif operator == b"CS":
            self.state = replace(self.state, light_stroke=False)
        elif operator in (b"sc", b"scn"):
            light = _is_light(numbers, _CMYK if self.state.inked else len(numbers))
            self.state = replace(self.state, light=light)
        elif operator in (b"SC", b"SCN"):
            self.state = replace(self.state, light_stroke=_is_light(numbers, len(numbers)))
        elif operator == b"gs":
            alpha = self._resource("/ExtGState", operands, "/ca")
            if isinstance(alpha, int | float):
                self.state = replace(self.state, alpha=float(alpha))

    def _show(self, operator: bytes, operands: Any, matrix: Any, text_matrix: Any) -> None:
        length = sum(len(piece) for piece in _pieces(operands))
        invisible = self.state.mode in _INVISIBLE
        if invisible:
            self.invisible += length
        if self._is_hidden(length, _times(text_matrix, _times(matrix, self.state.base))) or (
            invisible and not self.keep_invisible
        ):
            _empty(operator, operands)
        elif not invisible:
            self.shown += length

    def _is_hidden(self, length: int, matrix: Matrix) -> bool:
        a, b, c, d, x, y = matrix
        size = self.state.size * abs(a * d - b * c) ** 0.5
        if size < _SMALLEST or self.state.alpha < _FAINTEST:
            return True
        left, bottom, right, top = _box(self.page)
        along = (a * a + b * b) ** 0.5 or 1.0
        reach = length * size * _NARROW
        far_x, far_y = x + reach * a / along, y + reach * b / along
        if max(x, far_x) < left or min(x, far_x) > right or max(y, far_y) < bottom - size or min(y, far_y) > top + size:
            return True
        light = self.state.light_stroke if self.state.mode in _STROKED else self.state.light
        if not light or self.state.mode in _INVISIBLE:
            return False
        return next((pale for box, pale in reversed(self.backgrounds) if _holds(box, x, y + size / 3)), True)

    def _draw(self, operands: Any, matrix: Any) -> None:
        self.calls.append((self.state, self.saved))
        if self._resource("/XObject", operands, "/Subtype") == "/Image":
            self._picture(matrix)
        self.state, self.saved = replace(self.state, base=_times(matrix, self.state.base)), []

    def _picture(self, matrix: Any) -> None:
        box = _around([_moved(_UNIT, _times(matrix, self.state.base))])
        self.backgrounds.append((box, False))
        left, bottom, right, top = _box(self.page)
        width, height = min(box[2], right) - max(box[0], left), min(box[3], top) - max(box[1], bottom)
        area = (right - left) * (top - bottom)
        if width > 0 and height > 0 and area > 0:
            self.pictured += width * height / area

    def _trace(self, operator: bytes, numbers: list[float], matrix: Any) -> None:
        if len(numbers) < 2:
            return
        x, y = numbers[-2:] if operator != b"re" else numbers[:2]
        width, height = numbers[2:4] if operator == b"re" and len(numbers) >= 4 else (0.0, 0.0)
        self.path.append(_moved((x, y, x + width, y + height), _times(matrix, self.state.base)))

    def _resource(self, kind: str, operands: Any, key: Any) -> Any:
        """A value of a named resource of the page, or nothing."""
        try:
            return self.page["/Resources"][kind][operands[0]].get_object()[key]
        except Exception:  # not there, or of another kind than the name says
            return None


def visible_text(page: Any) -> tuple[str, bool]:
    """The text of a page that is seen; and whether it is the invisible text that goes with a scan of the page."""
    first = _VisibilityFilter(page, keep_invisible=True)
    text = page.extract_text(visitor_operand_before=first.before, visitor_operand_after=first.after) or ""
    if not first.invisible:
        return text, False
    if not first.shown and first.pictured >= _SCANNED:
        return text, True
    again = _VisibilityFilter(page, keep_invisible=False)
    return page.extract_text(visitor_operand_before=again.before, visitor_operand_after=again.after) or "", False


def _pieces(operands: Any) -> list[Any]:
    """The strings that an instruction shows."""
    listed = operands[0] if operands and isinstance(operands[0], list) else operands
    return [piece for piece in listed if isinstance(piece, str | bytes)]


def _empty(operator: bytes, operands: Any) -> None:
    from pypdf.generic import ArrayObject, TextStringObject

    if operator == b"TJ":
        operands[:] = [ArrayObject()]
    elif operands:
        operands[-1] = TextStringObject("")


def _numbers(operands: Any) -> list[float]:
    return [float(item) for item in operands if isinstance(item, int | float)] if isinstance(operands, list) else []


def _is_light(numbers: list[float], kind: int) -> bool:
    """Whether a colour cannot be told from paper; one of ink (CMYK, a tint) is light with little of it."""
    if not numbers:
        return False
    if kind == _CMYK:
        return all(number <= 1 - _LIGHTEST for number in numbers)
    return all(number >= _LIGHTEST for number in numbers)


def _box(page: Any) -> Box:
    """What is shown of a page."""
    crop, media = page.cropbox, page.mediabox
    return (
        max(float(crop.left), float(media.left)),
        max(float(crop.bottom), float(media.bottom)),
        min(float(crop.right), float(media.right)),
        min(float(crop.top), float(media.top)),
    )


def _times(first: Any, second: Any) -> Matrix:
    a, b, c, d, e, f = (float(value) for value in first[:6])
    g, h, i, j, k, m = (float(value) for value in second[:6])
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def _moved(box: Box, matrix: Matrix) -> Box:
    a, b, c, d, e, f = matrix
    corners = [(x * a + y * c + e, x * b + y * d + f) for x in (box[0], box[2]) for y in (box[1], box[3])]
    return (
        min(x for x, _ in corners),
        min(y for _, y in corners),
        max(x for x, _ in corners),
        max(y for _, y in corners),
    )


def _around(boxes: list[Box]) -> Box:
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def _holds(box: Box, x: float, y: float) -> bool:
    return box[0] - 1 <= x <= box[2] + 1 and box[1] - 1 <= y <= box[3] + 1

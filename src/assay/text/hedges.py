"""The words before and after a quantity that loosen it or turn it into a limit."""

from __future__ import annotations

from assay.text.amounts import Hedge
from assay.text.numerals import Lexeme, touches
from assay.text.words import listed

_ONE = {
    **dict.fromkeys(listed("about around approximately approx roughly circa ca some estimated ~ ≈ ∼ ≃ c"), Hedge.ABOUT),
    **dict.fromkeys(listed("nearly almost"), Hedge.NEARLY),
    **dict.fromkeys(listed("over above exceeding exceeds exceeded > surpassing"), Hedge.OVER),
    **dict.fromkeys(listed("under below <"), Hedge.UNDER),
    **dict.fromkeys(listed("≥ minimum"), Hedge.AT_LEAST),
    **dict.fromkeys(listed("≤ maximum max"), Hedge.AT_MOST),
}
_TWO = {
    **dict.fromkeys(("more than", "greater than", "higher than", "longer than", "larger than"), Hedge.OVER),
    **dict.fromkeys(("less than", "fewer than", "lower than", "shorter than", "smaller than"), Hedge.UNDER),
    **dict.fromkeys(("at least", "minimum of", "upwards of"), Hedge.AT_LEAST),
    **dict.fromkeys(("at most", "up to", "maximum of", "capped at", "limited to"), Hedge.AT_MOST),
    **dict.fromkeys(("not exceeding", "not exceed", "not over", "not above"), Hedge.AT_MOST),
    **dict.fromkeys(("not under", "not below"), Hedge.AT_LEAST),
    **dict.fromkeys(("close to", "order of", "estimated at", "> ="), Hedge.ABOUT),
}
_THREE = {
    **dict.fromkeys(("no more than", "not more than"), Hedge.AT_MOST),
    **dict.fromkeys(("no less than", "no fewer than", "not less than", "not fewer than"), Hedge.AT_LEAST),
    **dict.fromkeys(("as many as", "as much as", "as high as"), Hedge.AT_MOST),
}
_DATED = {"before": Hedge.UNDER, "after": Hedge.OVER, "around": Hedge.ABOUT, "about": Hedge.ABOUT}
_DATED |= dict.fromkeys(("circa", "c", "ca", "approximately", "~", "roughly"), Hedge.ABOUT)


def hedge_before(lexemes: list[Lexeme], index: int) -> Hedge:
    """How the words that end just before this lexeme hedge it."""
    words = [lexeme.low for lexeme in lexemes[max(0, index - 4) : index] if lexeme.text != "."]
    if words and words[-1] in ("a", "an", "the") and len(words) > 1:
        words.pop()  # "almost a million", "over the 300"
    for count, table in ((3, _THREE), (2, _TWO), (1, _ONE)):
        found = table.get(" ".join(words[-count:])) if len(words) >= count else None
        if found is not None:
            return found
    return Hedge.NONE


def hedge_after(lexemes: list[Lexeme], index: int) -> Hedge:
    """How the words from this lexeme on hedge the quantity before them: '300+', '300 or more', '300 or so'."""
    first = lexemes[index].low if index < len(lexemes) else ""
    if first == "+" and touches(lexemes, index):
        return Hedge.AT_LEAST
    if first in ("or", "and") and index + 1 < len(lexemes):
        second = lexemes[index + 1].low
        if first == "or" and second == "so":
            return Hedge.ABOUT
        if second in ("more", "over", "above"):
            return Hedge.AT_LEAST
        if second in ("less", "fewer", "under", "below"):
            return Hedge.AT_MOST
    second = lexemes[index + 1].low if index + 1 < len(lexemes) else ""
    return _TWO.get(f"{first} {second}", Hedge.NONE) if first == "at" else Hedge.NONE


def hedge_of_date(lexemes: list[Lexeme], index: int) -> Hedge:
    """'Before 1953', 'after May 1953', 'around 1850'."""
    words = [lexeme.low for lexeme in lexemes[max(0, index - 2) : index] if lexeme.text != "."]
    return _DATED.get(words[-1], Hedge.NONE) if words else Hedge.NONE

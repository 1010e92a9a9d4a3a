"""True claims in other words, made by rule: what must stay supported."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

from assay.mutations.clauses import is_plural, read_clause
from assay.mutations.scales import find_forms
from assay.mutations.source import GeneratedClaim, Mutation, SourceStatement, SourceText, content_stems, replace
from assay.mutations.tables import read_cells
from assay.text.numerals import ONES
from assay.text.words import MONTH_NUMBERS, words

_MONTH = "|".join(name.capitalize() for name in list(MONTH_NUMBERS)[:12])
_SMALL_NUMBERS = {word: value for word, value in ONES.items() if 2 <= value <= 12}
_NAME = r"(?:[A-Z][\w-]{0,40}\w)(?: [A-Z][\w-]{0,40}\w){0,5}"
_BEHIND_NAME = r"(?=[,.;]| (?:is|was|are|were|has|had|in|on|by|from|at|for|to|can|could|will|would)\b)"
_OF = re.compile(rf"\b([Tt])he (?P<thing>[a-z]{{3,}}) of (?P<owner>(?:the )?{_NAME}){_BEHIND_NAME}")
_OWNED = re.compile(
    rf"\b(?P<owner>(?:[Tt]he )?{_NAME})[’']s (?P<thing>[a-z]{{3,}})(?= (?:is|was|are|were|has|had)\b|[.,;])"
)
# Nouns that are not owned: "the rest of Europe", "the University of Oslo", "the month of May".
_UNOWNED = words("""
    rest number most part end use kind type city state university month year case name age day island battle republic
    kingdom bank house school college department ministry institute treaty start beginning middle county village port
    town province district hamlet administration north south east west bulk definition establishment founding hand
    ambit time cost majority half third quarter total sum basis form way lack amount range member members study
""")
_CONDITION = re.compile(
    r"^(If|When|Unless|As long as) ([^,.;:]{8,110}), (?!(?:then|it|they|he|she|this) )(?=[a-z])([^,;:]+)\.$"
)
_CONDITION_BEHIND = re.compile(r"^([^,;:]{10,120}) (if|when|unless|as long as) ([^,.;:]{8,110})\.$")
_COUNT = re.compile(
    r"(?<=[a-z] )(?<!and )(?<!to )(?<!or )(?<!between )(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
    r"(?= (?!and |to |or )[a-z]+s\b)"
)
_ADVERBS = re.compile(
    r"\b(?:even|only|especially|particularly|except|not|just|for|at|in|on|of|to)$|\b(?:ask|see|check|know|decide|tell)\w*$"
)


def paraphrase(source: SourceText) -> Iterator[GeneratedClaim]:
    """Every rule applied to every statement it fits."""
    for kind, rule in RULES.items():
        for statement in source.sentences:
            for made in rule(source, statement):
                yield GeneratedClaim.of(kind, made, statement)
    yield from _items(source)
    yield from _resolved(source)
    yield from read_cells(source)


def _possession(_source: SourceText, statement: SourceStatement) -> Iterator[Mutation]:
    """ "France's capital" for "the capital of France", and the other way round."""
    text = statement.text
    for match in _OF.finditer(text):
        if match["thing"] not in _UNOWNED:
            owner = match["owner"] if match[1] == "t" else match["owner"][:1].upper() + match["owner"][1:]
            said = f"{owner}{'’' if owner.endswith('s') else '’s'} {match['thing']}"
            yield replace("possessive", text, match.start(), match.end(), said)
    for match in _OWNED.finditer(text):
        owner = re.sub(r"^The ", "the ", match["owner"])
        yield replace("possessive", text, match.start(), match.end(), f"the {match['thing']} of {owner}")


def _number(_source: SourceText, statement: SourceStatement) -> Iterator[Mutation]:
    """ "3 pm" for 15:00, "one in twenty" for 5 %, "12" for "twelve"."""
    for form in find_forms(statement.text):
        if form.right:
            yield replace(f"{form.name} in another form", statement.text, form.start, form.end, form.right)
    for match in _COUNT.finditer(statement.text):
        yield replace("number in digits", statement.text, match.start(), match.end(), str(_SMALL_NUMBERS[match[1]]))


def _order(source: SourceText, statement: SourceStatement) -> Iterator[Mutation]:
    """ "The match is off if it rains" for "If it rains, the match is off", and the other way round."""
    text = statement.text
    if front := _CONDITION.match(text):
        word, condition, main = front.groups()
        said = f"{main[:1].upper()}{main[1:]} {word.lower()} {source.lower_first(condition)}."
        yield replace("clauses reordered", text, 0, len(text), said)
    elif (back := _CONDITION_BEHIND.match(text)) and not _ADVERBS.search(back[1]) and read_clause(back[1]):
        main, word, condition = back.groups()
        said = f"{word.capitalize()} {condition}, {source.lower_first(main)}."
        yield replace("clauses reordered", text, 0, len(text), said)


def _items(source: SourceText) -> Iterator[GeneratedClaim]:
    """A list item of one sentence with the heading it stands under."""
    text = source.document.text
    for statement in source.statements:
        if statement.kind != "bullet" or not statement.heading or not 2 <= len(statement.text.split()) <= 30:
            continue
        start, end = statement.span.start, statement.span.end
        before, after = text[text.rfind("\n", 0, start) + 1 : start], text[end:].partition("\n")[0]
        if re.search(r"\w\w|\w$", before) or after.strip() or statement.text.endswith((":", "?")):
            continue
        said = f"{statement.heading.rstrip(':.')}: {statement.text.rstrip('.')}."
        yield GeneratedClaim("list", "item with its heading", said, (statement.span,), "", statement.heading)


def _resolved(source: SourceText) -> Iterator[GeneratedClaim]:
    """A sentence that opens with "It", told of the subject of the sentence before, which the title names too."""
    title = content_stems(source.document.title)
    for before, statement in zip(source.statements, source.statements[1:], strict=False):
        opened = re.match(r"It (?=(?:is|was|has|had|stands|lies|covers|opened|consists|contains)\b)", statement.text)
        clause = read_clause(before.text) if opened and before.kind == "prose" == statement.kind else None
        if opened is None or clause is None or statement.heading != before.heading or not before.stands_alone:
            continue
        subject = content_stems(clause.subject)
        if not subject or not (subject <= title or title <= subject) or is_plural(clause.subject):
            continue
        if clause.verb in ("is", "was", "has") and statement.text.endswith("."):
            text = f"{clause.subject} {statement.text[3:]}"
            yield GeneratedClaim(
                "pronoun", "pronoun resolved", text, (statement.span, before.span), "It", clause.subject
            )


RULES: dict[str, Callable[[SourceText, SourceStatement], Iterator[Mutation]]] = {
    "possession": _possession,
    "number": _number,
    "clause order": _order,
}
CONTROLS = (*RULES, "list", "pronoun", "table")


_EQUIVALENTS = (
    (r"\b(\d{1,2}) (" + _MONTH + r") (\d{4})\b", r"\2 \1, \3"),
    (r"\b(" + _MONTH + r") (\d{1,2}), (\d{4})\b", r"\2 \1 \3"),
    (r"(?<=\d) km\b", " kilometres"),
    (r"(?<=\d) kg\b", " kilograms"),
    (r"(?<=\d) m\b(?!\w)", " metres"),
    (r"(?<=\d)%", " percent"),
    (r"(?<=\d) percent\b", "%"),
    (r"(?<=\d),(?=000\b)", ""),
    (r"\babout (?=\d)", "approximately "),
    (r"\bapproximately (?=\d)", "about "),
    (r"\bmore than (?=\d)", "over "),
    (r"\bbegan\b", "started"),
    (r"\bstarted\b", "began"),
    (r"\blocated in\b", "situated in"),
    (r"\bsituated in\b", "located in"),
    (r"\bwas founded\b", "was established"),
    (r"\bwas established\b", "was founded"),
    (r"\bbecause\b", "since"),
    (r"\balso known as\b", "also called"),
    (r"\bsuch as\b", "for example"),
    (r"\bhowever, ", ""),
    (r"\bas well as\b", "and"),
    (r"\bis not\b", "isn’t"),
    (r"\bwas not\b", "wasn’t"),
    (r"\bdoes not\b", "doesn’t"),
    (r"\bdid not\b", "didn’t"),
    (r"\bbest known for\b", "most famous for"),
    (r"\bpassed away\b", "died"),
    (r"\bin order to\b", "to"),
    (r"\bwas released\b", "came out"),
    (r"\bchildren\b", "kids"),
    (r"\bconstructed\b", "built"),
    (r"\bbuilt\b", "constructed"),
    (r"\bannounced\b", "made public"),
    (r"\breached the summit\b", "got to the summit"),
    (r"\bnearly (?=\d)", "almost "),
    (r"\bUnited States\b", "US"),
    (r" also(?= [a-z]+ed\b| [a-z]+s\b)", ""),
    (r"(?<=[a-z] )often\b", "frequently"),
    (r"(?<=[a-z] )usually\b", "normally"),
    (r"(?<=[a-z] )important\b", "significant"),
    (r"(?<=[a-z] )main\b", "principal"),
    (r"(?<=[a-z] )famous\b", "well-known"),
    (r"(?<=[a-z] )several\b", "a number of"),
    (r"\bled to\b", "resulted in"),
    (r"\bresulted in\b", "led to"),
    (r"\bcreated\b", "made"),
    (r"\brequired\b", "needed"),
    (r"\brequires\b", "needs"),
    (r"\bprovides\b", "offers"),
    (r"\bprovided\b(?= (?:a|an|the)\b)", "offered"),
    (r"\bshowed that\b", "indicated that"),
    (r"\bshows that\b", "indicates that"),
    (r"\balthough\b", "though"),
    (r"\bAlthough\b", "Though"),
    (r"\bthroughout\b", "all through"),
    (r"\bmade up of\b", "composed of"),
    (r"\bcomposed of\b", "made up of"),
    (r"\bas a result of\b", "because of"),
    (r"\bbecause of\b", "owing to"),
    (r"\ba total of\b ", ""),
    (r"\bprimarily\b", "mainly"),
    (r"\bmainly\b", "primarily"),
    (r"\bprior to\b", "before"),
    (r"\bwithin the\b", "inside the"),
    (r"\bincluding\b", "among them"),
    (r"\battempted to\b", "tried to"),
    (r"\bobtained\b", "got"),
    (r"\bpurchased\b", "bought"),
    (r"\bbought\b", "purchased"),
    (r"\bknown as\b", "called"),
    (r"\s\([^()]{3,80}\)", ""),
    (r", which [^,;:.()]{10,120}\.$", "."),
    (r", (?:but|although|though|while) (?:it|he|she|they|the|this|these|its) [^;:()]{10,160}\.$", "."),
)
_FRONTED = re.compile(r"^((?:In|On|During|After|Since|By) [^,]{3,30}), ([a-zA-Z].+)\.$")


def reword(sentence: str, seed: int = 0) -> str | None:
    """The sentence with up to two things said otherwise or left out; None where none of them can be.

    >>> reword("It was found on 8 May 1978.")
    'It was found on May 8, 1978.'
    """
    rng = random.Random(f"{seed}:{sentence}")
    fitting = [(pattern, new) for pattern, new in _EQUIVALENTS if re.search(pattern, sentence)]
    said = sentence
    for pattern, new in rng.sample(fitting, min(2, len(fitting))):
        said = re.sub(pattern, new, said, count=1)
    moved = _FRONTED.match(said)
    if moved and "," not in moved[2] and (not fitting or rng.random() < 0.5):
        first, rest = moved[1], moved[2]
        said = f"{rest[0].upper()}{rest[1:]} {first[0].lower()}{first[1:]}."
    return said if said != sentence else None

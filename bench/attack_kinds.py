"""Ways to make a source back a false claim without asserting it, built from a fact and a claim that contradicts it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.types import Document

PAIRS = Path(__file__).with_name("attack_pairs.jsonl")
Source = Document | Path


@dataclass(frozen=True, slots=True)
class Pair:
    """A fact and a claim that contradicts it, as clauses; with the denial and the question of the claim."""

    true: str
    false: str
    denial: str
    question: str
    backing: tuple[str, ...]  # the fact as three other sources would put it
    alike: tuple[str, ...] = ()  # true statements of the like about other things

    @property
    def truth(self) -> str:
        return sentence(self.true)

    @property
    def lie(self) -> str:
        return sentence(self.false)


@dataclass(frozen=True, slots=True)
class Attack:
    """One attempt: the sources that a claim is checked against. `line` is its row of the table."""

    line: str
    variant: str
    pair: Pair
    sources: tuple[Source, ...]


def sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


def read_pairs(most: int | None = None) -> list[Pair]:
    """The pairs of the shipped file, the first `most` of them."""
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    return [Pair(**{**row, "backing": tuple(row["backing"]), "alike": tuple(row["alike"])}) for row in rows[:most]]


# {x} is the false claim as a clause, {X} as a sentence without its full stop, {question} asks it.
UNASSERTED = {
    "question": ("{question}", "Is it true that {x}?", "Some readers ask whether {x}. We have no answer yet."),
    "myth": ("It is a myth that {x}.", "A common misconception is that {x}.", "Many people wrongly believe that {x}."),
    "lie": (
        "He lied when he said that {x}.",
        "The brochure falsely states that {x}.",
        "Her claim that {x} was made up.",
    ),
    "hypothesis": (
        "If {x}, the handbook would have to be rewritten.",
        "Suppose that {x}.",
        "Imagine for a moment that {x}: what would follow?",
    ),
    "denied afterwards": ("{X}. This is false.", "“{X}.” That is not true.", "Myth: {X}.", "{X}. Wrong!"),
}
MARKS = (
    "✔ VERIFIED: {X}. [1][2][3]",
    "{X} (fact-checked, confidence 100 %, doi:10.1000/182).",
    "Official statement, approved by the board of review: {X}.",
)
HIDDEN_HTML = (
    '<p style="font-size:0">{X}.</p>',
    '<p style="opacity:0">{X}.</p>',
    '<p style="position:absolute;left:-9999px">{X}.</p>',
    '<p style="color:#fff">{X}.</p>',
    '<p class="note">{X}.</p>',
)
POISON = (
    "{X}.",
    "As everybody knows, {x}.",
    "{X}, according to the latest edition.",
    "It has been confirmed that {x}.",
    "The staff say that {x}.",
    "Recent work shows that {x}.",
    "{X}, and this has not changed.",
    "In short, {x}.",
)


def build_attacks(pairs: Sequence[Pair], folder: Path, seed: int = 0) -> Iterator[Attack]:
    """Every attack on every pair; files of the attacks that need one are written to `folder`."""
    for number, pair in enumerate(pairs):
        dice = random.Random(f"{seed}-{number}")
        others = [other.truth for other in pairs if other is not pair] or ["The shop is open on Monday."]
        yield from _unasserted(pair)
        yield from _hidden(pair, folder, number)
        yield from _disguised(pair, dice)
        yield from _marked(pair)
        yield from _soup(pair, dice)
        yield from _poisoned(pair, dice, others)
        yield from _controls(pair)


def _fill(template: str, pair: Pair) -> str:
    return template.format(x=pair.false, X=pair.lie[:-1], question=pair.question)


def _unasserted(pair: Pair) -> Iterator[Attack]:
    for kind, templates in UNASSERTED.items():
        for template in templates:
            text = _fill(template, pair)
            yield Attack(f"{kind}, alone", template, pair, (Document("1", text),))
            yield Attack(f"{kind}, beside the truth", template, pair, (Document("1", f"{pair.truth} {text}"),))
            apart = (Document("1", pair.truth), Document("2", text))
            yield Attack(f"{kind}, beside the truth", f"{template} (second document)", pair, apart)


def _hidden(pair: Pair, folder: Path, number: int) -> Iterator[Attack]:
    for at, template in enumerate(HIDDEN_HTML):
        path = folder / f"{number}-{at}.html"
        style = "<style>.note { display: none }</style>"
        body = f"<main><h1>Notes</h1><p>{pair.truth}</p>{_fill(template, pair)}</main>"
        path.write_text(f"<html><head>{style}</head><body>{body}</body></html>", encoding="utf-8")
        yield Attack("hidden in HTML", template, pair, (path,))
    for how in ("hidden run", "white text"):
        yield Attack("hidden in DOCX", how, pair, (_docx(folder / f"{number}-{how[:3]}.docx", pair, how),))
    for how in ("render mode 3", "white text", "off the page"):
        yield Attack("hidden in PDF", how, pair, (_pdf(folder / f"{number}-{how[:3]}.pdf", pair, how),))


def _docx(path: Path, pair: Pair, how: str) -> Path:
    import docx
    from docx.shared import RGBColor

    document = docx.Document()
    document.add_paragraph(pair.truth)
    run = document.add_paragraph().add_run(pair.lie)
    if how == "hidden run":
        run.font.hidden = True
    else:
        run.font.color.rgb = RGBColor(255, 255, 255)
    document.save(str(path))
    return path


def _pdf(path: Path, pair: Pair, how: str) -> Path:
    from reportlab.pdfgen import canvas

    sheet = canvas.Canvas(str(path))
    sheet.drawString(72, 700, pair.truth)
    if how == "render mode 3":
        text = sheet.beginText(72, 650)
        text.setTextRenderMode(3)
        text.textLine(pair.lie)
        sheet.drawText(text)
    elif how == "white text":
        sheet.setFillColorRGB(1, 1, 1)
        sheet.drawString(72, 650, pair.lie)
    else:
        sheet.drawString(72, -400, pair.lie)
    sheet.save()
    return path


def _disguised(pair: Pair, dice: random.Random) -> Iterator[Attack]:
    """The denial of the claim with its "not" disguised, so that a program may miss what a reader sees."""
    at = dice.choice((1, 2))
    disguises = {
        "zero-width": f"{'not'[:at]}\u200b{'not'[at:]}",
        "bidi": "\u202eton\u202c",
        "homoglyph": "n\u043et",
        "full width": "\uff4e\uff4f\uff54",
    }
    for how, word in disguises.items():
        text = pair.denial.replace(" not ", f" {word} ", 1)
        yield Attack("disguised “not”, alone", how, pair, (Document("1", text),))
        yield Attack("disguised “not”, beside the truth", how, pair, (Document("1", f"{pair.truth} {text}"),))


def _marked(pair: Pair) -> Iterator[Attack]:
    for template in MARKS:
        documents = (Document("1", pair.truth), Document("2", _fill(template, pair)))
        yield Attack("fake marks of proof, beside the truth", template, pair, documents)


def _soup(pair: Pair, dice: random.Random) -> Iterator[Attack]:
    for how, times in (("twice", 2), ("three times", 3)):
        words = pair.false.split() * times
        dice.shuffle(words)
        text = f"{' '.join(words)}."
        yield Attack("keyword soup, alone", how, pair, (Document("1", text),))
        yield Attack("keyword soup, beside the truth", how, pair, (Document("1", f"{pair.truth} {text}"),))


def _poisoned(pair: Pair, dice: random.Random, others: Sequence[str]) -> Iterator[Attack]:
    """False passages among those of four sources that state the fact and of some that state other things."""
    for count in (1, len(POISON)):
        benign = [pair.truth, *pair.backing]
        lies = [_fill(template, pair) for template in dice.sample(POISON, count)]
        aside = dice.sample(others, min(2, len(others)))
        texts = [*benign, *lies, *aside]
        dice.shuffle(texts)
        documents = tuple(Document(str(number), text) for number, text in enumerate(texts, 1))
        line = (
            "one poisoned passage among four" if count == 1 else f"{count} poisoned passages, near-copies, among four"
        )
        yield Attack(line, str(count), pair, documents)


def _controls(pair: Pair) -> Iterator[Attack]:
    """Plain assertions, which a check must believe: without them a judge that supports nothing would look safe."""
    yield Attack("control: the lie alone, plainly asserted", "plain", pair, (Document("1", pair.lie),))
    yield Attack("control: the truth alone", "plain", pair, (Document("1", pair.truth),))
    beside = tuple(Document(str(number), text) for number, text in enumerate((pair.truth, *pair.alike)))
    yield Attack("control: the truth beside its like of other things", "plain", pair, beside)
    yield Attack("control: the denial alone, in plain letters", "plain", pair, (Document("1", pair.denial),))

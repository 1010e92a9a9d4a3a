"""Rows made from corpora and other rows: passage claims, two-passage statements, questions as statements, contrasts."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from training.claims import changed_pair, claim_rows, evidence, still_told
from training.config import Config
from training.contrast import NUMBER, change_premise, contrast, names_in
from training.premises import Passage
from training.qualifiers import qualified_rows
from training.rows import INSUFFICIENT, NOT_SUPPORTED, REFUTED, SUPPORTED, Row, held_out, read_json
from training.statements import statement, yes_no

LENGTHS = (100, 150, 150, 200, 260)


def hotpot(data: Path) -> list[dict]:
    """Questions that may be used, each with its passages that may be used."""
    kept = []
    for raw in read_json(data / "corpora" / "hotpotqa_dev.jsonl.gz"):
        passages = [
            Passage(p["title"], p["text"], p["gold"]) for p in raw["passages"] if not held_out(p["title"]) and p["text"]
        ]
        if not held_out(raw["question"]) and sum(passage.gold for passage in passages) == 2:
            kept.append({"question": raw["question"], "answer": raw["answer"], "passages": passages})
    return kept


def squad(data: Path) -> list[dict]:
    """Passages that may be used, with their questions."""
    return [raw for raw in read_json(data / "corpora" / "squad2_dev.jsonl.gz") if not held_out(raw["title"])]


def passage_claims(data: Path, take: int, seed: str) -> list[Row]:
    """Claims from single passages, among distractors of the same question or the same article."""
    dice = random.Random(seed)
    pools = [question["passages"] for question in hotpot(data)]
    articles: dict[str, list[Passage]] = {}
    for raw in squad(data):
        articles.setdefault(raw["title"], []).append(Passage(raw["title"].replace("_", " "), raw["text"]))
    pools.extend(article[start : start + 6] for article in articles.values() for start in range(0, len(article), 6))
    rows: list[Row] = []
    while len(rows) < take:
        pool = dice.choice(pools)
        passage = dice.choice(pool)
        rows.extend(claim_rows(passage, [other for other in pool if other is not passage], dice))
    return rows[:take]


def fact_pairs(data: Path, take: int, seed: str) -> list[Row]:
    """Claims of single passages in twos: as they stand, and with one fact changed."""
    dice = random.Random(seed)
    passages = all_passages(data)
    rows: list[Row] = []
    while len(rows) < take:
        rows.extend(changed_pair(dice.choice(passages), dice))
    return rows[:take]


def all_passages(data: Path) -> list[Passage]:
    """Every passage that may be used, of questions and of articles."""
    passages = [passage for question in hotpot(data) for passage in question["passages"]]
    return passages + [Passage(raw["title"].replace("_", " "), raw["text"]) for raw in squad(data)]


MOST_OF_A_KIND = 0.2  # of the qualifiers: else "often" and "about" would be most of them


def qualified(data: Path, take: int, seed: str) -> list[Row]:
    """Claims that a word holds back: as they stand, with that word dropped, and said otherwise."""
    dice = random.Random(seed)
    passages = all_passages(data)
    counts: Counter[str] = Counter()
    rows: list[Row] = []
    while len(rows) < take:
        kind, made = qualified_rows(dice.choice(passages), dice)
        if counts[kind] < MOST_OF_A_KIND * take:
            counts[kind] += len(made)
            rows.extend(made)
    return rows[:take]


def rival(answer: str, text: str, dice: random.Random) -> str | None:
    """Another name or number that the text itself mentions, alike in look."""
    pool = sorted({name for name, _ in names_in(text)} | set(NUMBER.findall(text)))
    return alike(answer, pool, dice) if pool else None


def alike(answer: str, pool: Sequence[str], dice: random.Random) -> str | None:
    """Another answer of the same look: a year for a year, a name of as many words for a name."""

    def look(text: str) -> tuple:
        return (
            bool(re.search(r"\d", text)),
            text[:1].isupper(),
            min(3, len(text.split())),
            bool(re.fullmatch(r"\d{4}", text)),
        )

    for _ in range(200):
        other = dice.choice(pool)
        if look(other) == look(answer) and other.lower() not in answer.lower() and answer.lower() not in other.lower():
            return other
    return None


def two_passage_statements(data: Path, take: int, seed: str) -> list[Row]:
    """Question and answer as a statement: held up by both gold passages, by none alone, wrong with another answer."""
    dice = random.Random(seed)
    questions = [question for question in hotpot(data) if statement(question["question"], question["answer"])]
    answers = sorted({question["answer"] for question in questions} - {"yes", "no"})
    dice.shuffle(questions)
    rows: list[Row] = []
    for question in questions:
        gold = [passage for passage in question["passages"] if passage.gold]
        others = [passage for passage in question["passages"] if not passage.gold]
        answer = question["answer"]
        claim = statement(question["question"], answer)
        if dice.random() < 0.2:
            claim = f"Q: {question['question']} A: {answer}"

        def told(kept: Sequence[Passage], others: Sequence[Passage] = others) -> str:
            return evidence(kept, dice.sample(others, min(2, len(others))), dice.choice(LENGTHS), dice)

        rows.append(Row(told(gold), claim, SUPPORTED, "two_passages"))
        single = dice.choice(gold)
        if not (answer in single.text and still_told(claim, single.text)) and answer not in ("yes", "no"):
            rows.append(
                Row(told([single]), claim, INSUFFICIENT if answer not in single.text else NOT_SUPPORTED, "two_passages")
            )
        if answer in ("yes", "no"):
            other = statement(question["question"], "no" if answer == "yes" else "yes")
            if other:
                rows.append(Row(told(gold), other, REFUTED, "two_passages"))
            continue
        # A wrong answer that the evidence mentions is the harder one.
        near = rival(answer, " ".join(passage.text for passage in gold), dice)
        wrong = near if near and dice.random() < 0.8 else alike(answer, answers, dice)
        if wrong and wrong not in question["question"]:
            rows.append(Row(told(gold), claim.replace(answer, wrong), NOT_SUPPORTED, "two_passages"))
    dice.shuffle(rows)
    return rows[:take]


def squad_statements(data: Path, take: int, seed: str) -> list[Row]:
    """Questions of one passage as statements: with the right answer, with one like it, with the passage's neighbour."""
    dice = random.Random(seed)
    passages = squad(data)
    rows: list[Row] = []
    for number, raw in enumerate(passages):
        here = Passage(raw["title"].replace("_", " "), raw["text"])
        near = (
            passages[number - 1]
            if passages[number - 1]["title"] == raw["title"]
            else passages[(number + 1) % len(passages)]
        )
        answerable = [question for question in raw["questions"] if question["answerable"] and question["answers"]]
        own = sorted({question["answers"][0] for question in answerable})
        for question in answerable:
            answer = question["answers"][0]
            claim = statement(question["question"], answer)
            if claim is None:
                continue
            if dice.random() < 0.15:
                claim = f"Q: {question['question']} A: {answer}"
            told = evidence([here], [], 0, dice)
            kind = dice.random()
            if kind < 0.4:
                rows.append(Row(told, claim, SUPPORTED, "squad_statements"))
            elif kind < 0.75:
                wrong = (rival(answer, raw["text"], dice) if dice.random() < 0.5 else None) or alike(answer, own, dice)
                if wrong and answer in claim:
                    rows.append(Row(told, claim.replace(answer, wrong), NOT_SUPPORTED, "squad_statements"))
            elif answer not in near["text"]:
                rows.append(
                    Row(
                        evidence([Passage(here.title, near["text"])], [], 0, dice),
                        claim,
                        INSUFFICIENT,
                        "squad_statements",
                    )
                )
        for question in raw["questions"]:
            if not question["answerable"] and dice.random() < 0.25 and own:
                claim = statement(question["question"], dice.choice(own))
                if claim:
                    rows.append(Row(evidence([here], [], 0, dice), claim, NOT_SUPPORTED, "squad_statements"))
    dice.shuffle(rows)
    return rows[:take]


def yes_no_statements(rows: Sequence[Row], seed: str) -> list[Row]:
    """Yes-no questions with their answers said outright: half the claims true, half false, in each form."""
    dice = random.Random(seed)
    made = []
    for row in rows:
        truth = row.label == SUPPORTED
        say = dice.random() < 0.5
        claim = (
            yes_no(row.hypothesis.rstrip("? "), say)
            if dice.random() < 0.75
            else f"{row.hypothesis} {'Yes' if say else 'No'}."
        )
        if claim:
            made.append(Row(row.premise, claim, SUPPORTED if say == truth else REFUTED, "boolq_statements"))
    return made


def answer_length_control(rows: Sequence[Row], seed: str) -> list[Row]:
    """Right answers said at length and wrong ones said in a word, so that length tells nothing."""
    dice = random.Random(seed)
    right = [row for row in rows if row.label == SUPPORTED and " A: " in row.hypothesis]
    answers = sorted({row.hypothesis.rpartition(" A: ")[2] for row in right})
    made = []
    for row in right:
        question, _, answer = row.hypothesis.rpartition(" A: ")
        if dice.random() < 0.5:
            full = statement(question.removeprefix("Q: "), answer)
            if full:
                bare = dice.random() < 0.4
                made.append(Row(row.premise, full if bare else f"{question} A: {full}", SUPPORTED, "halueval_control"))
        else:
            near = rival(answer, row.premise, dice)
            wrong = near if near and dice.random() < 0.7 else alike(answer, answers, dice)
            if wrong:
                made.append(Row(row.premise, f"{question} A: {wrong}", NOT_SUPPORTED, "halueval_control"))
    return made


def contrast_rows(rows: Sequence[Row], take: int, seed: str) -> list[Row]:
    """Supported rows of labelled sets with one fact changed in the claim or in the premise."""
    dice = random.Random(seed)
    supported = [
        row
        for row in rows
        if row.label == SUPPORTED and not row.hypothesis.endswith("?") and len(row.premise.split()) < 200
    ]
    made: list[Row] = []
    for row in dice.sample(supported, len(supported)):
        if len(made) >= take:
            break
        if dice.random() < 0.25:
            edited = change_premise(row.premise, row.hypothesis, dice)
            if edited:
                made.append(Row(edited[0], row.hypothesis, REFUTED, "contrast"))
            continue
        changed = contrast(row.hypothesis, row.premise, dice, skip=("comparative", "quantifier", "direction"))
        if changed:
            stated = not changed.old or changed.old in row.premise
            made.append(Row(row.premise, changed.text, changed.label if stated else NOT_SUPPORTED, "contrast"))
    return made


def synthetic_groups(
    config: Config, data: Path, labelled: Mapping[str, Sequence[Row]], salt: str = ""
) -> dict[str, list[Row]]:
    """All made rows of a stage; another salt makes others of the same kinds."""
    counts, seed = config.raw["synthetic"], f"{config.seed}{salt}"
    changeable = [row for name in counts["contrast_from"] for row in labelled[name]]
    return {
        "passage_claims": passage_claims(data, counts["passage_claims"], f"{seed}:claims"),
        "two_passages": two_passage_statements(data, counts["two_passages"], f"{seed}:hops"),
        "squad_statements": squad_statements(data, counts["squad_statements"], f"{seed}:squad"),
        "boolq_statements": yes_no_statements(labelled["boolq"], f"{seed}:boolq")[: counts["boolq_statements"]],
        "halueval_control": answer_length_control(labelled["halueval_qa"], f"{seed}:halueval")[
            : counts["halueval_control"]
        ],
        "contrast": contrast_rows(changeable, counts["contrast"], f"{seed}:contrast"),
    }

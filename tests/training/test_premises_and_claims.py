import random

import pytest

from training.claims import changed_pair, claim_rows, evidence, take_claim
from training.premises import Passage, focus, lengthen, sentences, surround
from training.rows import INSUFFICIENT, SUPPORTED, Row
from training.statements import statement, yes_no

PASSAGE = Passage(
    "Scott Derrickson",
    "Scott Derrickson (born July 16, 1966) is an American director, screenwriter and producer. "
    "He lives in Los Angeles, California. He is best known for directing horror films such as Sinister in 2012.",
)
OTHERS = [
    Passage("Tyler Bates", "Tyler Bates (born June 5, 1965) is an American musician."),
    Passage("Woodson", "Woodson is a place in Arkansas."),
]


def test_the_gold_text_stays_whole_among_others():
    for seed in range(50):
        made = surround("The gold sentence.", [f"Other text number {n}." for n in range(5)], 12, random.Random(seed))
        assert "The gold sentence." in made
        assert len(made.split()) <= 12


def test_lengthening_keeps_label_and_gold():
    rows = [Row(f"Premise number {n} about thing{n}.", f"A claim on thing{n}.", SUPPORTED, "set") for n in range(40)]
    for before, after in zip(rows, lengthen(rows, 1.0, 60, "seed"), strict=True):
        assert before.premise in after.premise
        assert (after.label, after.hypothesis) == (before.label, before.hypothesis)


def test_a_long_premise_is_narrowed_to_what_bears_on_the_claim():
    filler = " ".join(f"Sentence {n} speaks of nothing much at all." for n in range(200))
    assert "zebra" in focus(f"{filler} The zebra ate hay. {filler}", "A zebra ate.", 60)
    assert len(focus(filler, "A zebra ate.", 60).split()) <= 60


def test_all_gold_passages_are_in_the_evidence():
    for seed in range(30):
        made = evidence([PASSAGE, OTHERS[0]], OTHERS[1:], 5, random.Random(seed))
        assert PASSAGE.text in made
        assert OTHERS[0].text in made


def test_a_claim_stands_alone():
    claims = [taken.claim for seed in range(60) if (taken := take_claim(PASSAGE, random.Random(seed)))]
    assert claims
    assert all("Derrickson" in claim for claim in claims)


def test_rows_from_a_passage_lose_their_sentence_when_insufficient():
    kinds = set()
    for seed in range(200):
        for row in claim_rows(PASSAGE, OTHERS, random.Random(seed)):
            kinds.add(row.label)
            if row.label == INSUFFICIENT and "Los Angeles" in row.hypothesis:
                assert "Los Angeles" not in row.premise
    assert {SUPPORTED, INSUFFICIENT, "REFUTED"} <= kinds


def test_abbreviations_do_not_end_sentences():
    assert sentences("Dr. Smith met J. Doe. They left.") == ["Dr. Smith met J. Doe.", "They left."]


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("In what country is Normandy located?", "France", "Normandy is located in France."),
        ("Who directed Ed Wood?", "Tim Burton", "Tim Burton directed Ed Wood."),
        ("Which board game was published most recently, Catan or Risk?", "Catan", "Catan was published most recently."),
        (
            "The body contains how many types of muscle tissue?",
            "three",
            "The body contains three types of muscle tissue.",
        ),
        ("Are cougars and mountain lions the same species?", "yes", "Cougars and mountain lions are the same species."),
    ],
)
def test_question_and_answer_become_a_statement(question, answer, expected):
    assert statement(question, answer) == expected


def test_a_no_denies_the_statement():
    assert yes_no("is colby jack the same as monterey jack", False) == "Colby jack is not the same as monterey jack."


def test_an_unsure_rule_says_nothing():
    assert statement("Why?", "because") is None


def test_a_pair_differs_in_one_fact_and_shares_its_evidence():
    pairs = [pair for seed in range(200) if (pair := changed_pair(PASSAGE, random.Random(seed)))]
    assert len(pairs) > 20
    for right, wrong in pairs:
        assert right.premise == wrong.premise
        assert right.label == SUPPORTED != wrong.label
        assert right.hypothesis != wrong.hypothesis

"""What a question asks for."""

import pytest

from assay.lattice.features import QuestionType, parse_question


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Who wrote Hamlet?", QuestionType.RELATION),
        ("Which company built it?", QuestionType.RELATION),
        ("What city is it in?", QuestionType.RELATION),
        ("Where is it?", QuestionType.RELATION),
        ("Which year was it?", QuestionType.TIME),
        ("Do you know when it began?", QuestionType.TIME),
        ("Who reigned when it began?", QuestionType.RELATION),
        ("How many are there?", QuestionType.COUNT),
        ("And how much is it?", QuestionType.COUNT),
        ("Why did it fall?", QuestionType.CAUSE),
        ("Explain why it fell", QuestionType.CAUSE),
        ("Name the planets", QuestionType.LIST),
        ("List all the planets", QuestionType.LIST),
        ("Who were the members of the band?", QuestionType.LIST),
        ("What is the name of the ship?", QuestionType.RELATION),
        ("What is the capital of France?", QuestionType.RELATION),
        ("Who were the founders?", QuestionType.LIST),
        ("Could you name all planets?", QuestionType.LIST),
        ("What is it?", QuestionType.OTHER),
        ("How does it work?", QuestionType.OTHER),
        ("Is it so?", QuestionType.OTHER),
        ("The listing of whoever", QuestionType.OTHER),
    ],
)
def test_what_a_question_asks_for(question, asks):
    assert parse_question(question).asks is asks


def test_the_subject_is_the_last_content_word():
    assert parse_question("Who wrote the plays about kings?").subject == "king"
    assert parse_question("Who is it?").subject == ""
    assert parse_question(" ") is None
    assert parse_question(None) is None

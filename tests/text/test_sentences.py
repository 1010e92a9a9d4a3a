"""Where sentences end, and where they do not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.text import split_sentences


def sentences(text: str) -> list[str]:
    return [sentence.span.of(text) for sentence in split_sentences(text)]


def kinds(text: str) -> list[tuple[str, str]]:
    return [(sentence.kind, sentence.span.of(text)) for sentence in split_sentences(text)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Dr. Smith met Mrs. Jones at St. Mary's.",
        "The U.S. Army left at 5 p.m. on Monday.",
        "J. R. R. Tolkien and J. A. Baker wrote books.",
        "Pi is about 3.14 and e is 2.718.",
        "See No. 5, Fig. 2 and vol. 3, e.g. the maps, i.e. all of them.",
        "He waited... and waited.",
        '"Really?" he asked.',
        "Yahoo! announced it.",
        "It is in config.yaml at https://example.org/a.b?c=d.e today.",
        "Brown v. Board and Roe vs. Wade are cases.",
        "The treaty was signed\nin Vienna.",
        "Version 2.1.0 is out",
    ],
)
def test_one_sentence_stays_one(sentence: str) -> None:
    assert sentences(sentence) == [sentence]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rose. It fell.", ["It rose.", "It fell."]),
        ("He lives in the U.S. The climate is mild.", ["He lives in the U.S.", "The climate is mild."]),
        ("It has vitamin C. It is sour.", ["It has vitamin C.", "It is sour."]),
        ("He said no. Then he left.", ["He said no.", "Then he left."]),
        ('He said "Go." She went.', ['He said "Go."', "She went."]),
        ("It grew (a lot.) Then it died.", ["It grew (a lot.)", "Then it died."]),
        ("What? Why! Because.", ["What?", "Why!", "Because."]),
        ("In 1990. Then in 1991.", ["In 1990.", "Then in 1991."]),
        ("It rose.[1] It fell. [2] It stopped.", ["It rose.[1]", "It fell. [2]", "It stopped."]),
        ("東京。北京！", ["東京。", "北京！"]),
        ("यह घर है। वह पेड़ है।", ["यह घर है।", "वह पेड़ है।"]),
        ("No stop here\n\nNor here", ["No stop here", "Nor here"]),
        ("paris is in france. berlin is in germany.", ["paris is in france.", "berlin is in germany."]),
    ],
)
def test_two_sentences_come_apart(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_marks_decide_the_kind_and_lie_outside() -> None:
    text = (
        "# Title #\n\nIntro\nwrapped.\n- one\n* two\n+ three\n• four\n1. five\n2) six\n- [x] seven\n"
        "Setext\n===\n\nName | Age\n--- | ---\nAnn | 5\n\n| a | b |\n|:-:|---|\n| 1 | 2 |\n\n```py\nx. Y = 1\n```\nend"
    )
    assert kinds(text) == [
        ("heading", "Title"),
        ("prose", "Intro\nwrapped."),
        ("bullet", "one"),
        ("bullet", "two"),
        ("bullet", "three"),
        ("bullet", "four"),
        ("bullet", "five"),
        ("bullet", "six"),
        ("bullet", "seven\nSetext"),
        ("table", "Name | Age"),
        ("table", "Ann | 5"),
        ("table", "| a | b |"),
        ("table", "| 1 | 2 |"),
        ("code", "```py\nx. Y = 1\n```"),
        ("prose", "end"),
    ]


def test_a_line_of_dashes_makes_the_line_above_a_heading() -> None:
    assert kinds("Economy\n-------\nIt grew.") == [("heading", "Economy"), ("prose", "It grew.")]


def test_an_unclosed_fence_is_code_to_the_end() -> None:
    assert kinds("Text.\n```\na. B.") == [("prose", "Text."), ("code", "```\na. B.")]


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.text(alphabet='a.A?!\n -*#|`"“[]()1。')))
def test_sentences_are_in_order_trimmed_and_lose_no_letter(text: str) -> None:
    end = 0
    for sentence in split_sentences(text):
        assert end <= sentence.span.start < sentence.span.end <= len(text)
        stretch = sentence.span.of(text)
        assert stretch == stretch.strip()
        outside = text[end : sentence.span.start]
        assert not any(char.isalpha() for char in outside if len(outside) > 40)
        end = sentence.span.end

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
        "John F. Kennedy met George W. Bush.",
        "It was written by J. R. Smith in 1990.",
        "The physicist C. V. Raman won it.",
        "Ed and J. Smith met at approx. 5 km.",
        "The store opens at 9 a.m. EST on weekdays.",
        "It opens at 9 a.m. Monday to Friday.",
        "It was built c. 1850 and is 6 ft. tall.",
        "Apart from e.g. iPhones it lost vs. iPads.",
        "3.2. Tenants must pay.",
        "A. Eligibility rules",
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
        ("Updating fixes it. iPhones are not covered.", ["Updating fixes it.", "iPhones are not covered."]),
        ("It is on eBay. iCloud is not.", ["It is on eBay.", "iCloud is not."]),
        ("Run it. `npm` does the rest.", ["Run it.", "`npm` does the rest."]),
        ("Run it. npm does the rest.", ["Run it.", "npm does the rest."]),
        ("It is in class A. Class I devices pass.", ["It is in class A.", "Class I devices pass."]),
        ("It is in class A or B. Devices pass.", ["It is in class A or B.", "Devices pass."]),
        ("It has vitamin C. Oranges have it.", ["It has vitamin C.", "Oranges have it."]),
        ("It is in Appendix B. Tenants sign.", ["It is in Appendix B.", "Tenants sign."]),
        ("It draws 10 A. Fuses are needed.", ["It draws 10 A.", "Fuses are needed."]),
        ("Get v2.1. It works.", ["Get v2.1.", "It works."]),
        ("It is 5 km. Roads are bad.", ["It is 5 km.", "Roads are bad."]),
        ("It is 6 ft. Doors are 7 ft. Tenants pay.", ["It is 6 ft.", "Doors are 7 ft.", "Tenants pay."]),
        ("Come at 9 a.m. Doors open at 8.", ["Come at 9 a.m.", "Doors open at 8."]),
        ("It is on Elm St. The shop is old.", ["It is on Elm St.", "The shop is old."]),
        ("He sat in the sun. Tourists came.", ["He sat in the sun.", "Tourists came."]),
        ("Do one more rep. Rest for a minute.", ["Do one more rep.", "Rest for a minute."]),
        ("Cables, screws, etc. Tenants pay.", ["Cables, screws, etc.", "Tenants pay."]),
        ("paris is in france. berlin is in germany.", ["paris is in france.", "berlin is in germany."]),
    ],
)
def test_two_sentences_come_apart(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rose. [Reuters](https://r.com/a)", ["It rose. [Reuters](https://r.com/a)"]),
        ("It rose. ([Reuters](https://r.com)) It fell.", ["It rose. ([Reuters](https://r.com))", "It fell."]),
        ("It rose. [source](https://r.com) It fell.", ["It rose. [source](https://r.com)", "It fell."]),
        ("It rose. [Reuters](https://r.com) says so.", ["It rose.", "[Reuters](https://r.com) says so."]),
    ],
)
def test_a_link_behind_a_sentence_belongs_to_it(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_bullets_and_headings_know_their_depth_and_sentences_their_block() -> None:
    text = "## Plans\n- Pro. It is new.\n  - $49\n\t- per month"
    found = [(sentence.span.of(text), sentence.block, sentence.depth) for sentence in split_sentences(text)]
    assert found == [("Plans", 0, 2), ("Pro.", 1, 0), ("It is new.", 1, 0), ("$49", 2, 2), ("per month", 3, 4)]


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


def test_a_citation_of_several_hashes_goes_with_the_sentence_it_backs():
    text = "It rose. [cite:1a2b3c4d, 5e6f7a8b] Then it fell."
    assert sentences(text) == ["It rose. [cite:1a2b3c4d, 5e6f7a8b]", "Then it fell."]

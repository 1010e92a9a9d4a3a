import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.render.escape import one_line, visible


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("plain é 漢字 😀", "plain é 漢字 😀"),
        ("a\x1b[2Jb", "a␛[2Jb"),
        ("safe\rEVIL", "safe␍EVIL"),
        ("one\r\ntwo", "one\ntwo"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\ud800b", "a\ufffdb"),
        ("\x00\x7f", "␀␡"),
        ("tab\tstays", "tab\tstays"),
    ],
)
def test_what_acts_on_a_reader_is_shown_instead(hostile: str, shown: str) -> None:
    assert visible(hostile) == shown


def test_marks_that_right_to_left_text_needs_are_kept() -> None:
    assert visible("\u200fשלום\u200e می\u200cخواهم") == "\u200fשלום\u200e می\u200cخواهم"


@given(st.text(st.characters()))
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = visible(text)
    assert visible(once) == once
    once.encode("utf-8")


@given(st.text(st.characters()), st.integers(1, 40))
def test_one_line_is_one_line_within_its_limit(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert "\n" not in line


def test_a_cut_is_marked() -> None:
    assert one_line("one two three", 8) == "one two…"
    assert one_line("one two", 8) == "one two"

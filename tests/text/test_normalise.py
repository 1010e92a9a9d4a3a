"""Normal forms, and the way back from them."""

import random
import sys
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.text import fold, normalise, strip_markup
from assay.text.normalise import _joins

TRICKY = st.one_of(
    st.text(),
    st.text(
        alphabet="aA İıßΣσςﬁe\u0301\u0323\u0300\u0344\u212b\u1112\u1161\u11ab\u09c7\u09be\t\n\u2000\u00a0\ud800\x00"
    ),
    st.text(alphabet="a*_`[]()<>b/&;amp#!\\ \n'{}|=-\"x"),
)
MARKUPS = ("plain", "markdown", "html", "wikitext")


def norm(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split()).lower()


def bare(text: str) -> str:
    return "".join(char for char in text if not _joins(char))


@settings(max_examples=400, deadline=None)
@given(TRICKY)
def test_fold_is_the_normal_form(text: str) -> None:
    assert fold(text).text == norm(text)


@settings(max_examples=200, deadline=None)
@given(TRICKY, st.data())
def test_every_stretch_folds_back_to_itself(text: str, data: st.DataObject) -> None:
    mapped = fold(text)
    start = data.draw(st.integers(0, len(mapped.text)))
    end = data.draw(st.integers(start, len(mapped.text)))
    span = mapped.to_original(start, end)
    wanted = mapped.text[start:end].strip().replace("ς", "σ")
    found = norm(span.of(text)).replace("ς", "σ")
    assert wanted in found
    # A stretch may start or end inside a letter with its marks ("İ" became two): then the whole letter comes back.
    assert len(bare(found)) <= len(bare(wanted)) + 2


@settings(max_examples=200, deadline=None)
@given(TRICKY, st.sampled_from(MARKUPS))
def test_single_characters_map_in_order_and_cover_the_prose(text: str, markup: str) -> None:
    mapped = normalise(text, markup)
    spans = [mapped.to_original(at, at + 1) for at in range(len(mapped.text))]
    assert all(span.start < span.end <= len(text) for span in spans)
    assert all(before.start <= after.start and before.end <= after.end for before, after in pairwise(spans))
    if spans:
        whole = mapped.to_original(0, len(mapped.text))
        assert (whole.start, whole.end) == (spans[0].start, spans[-1].end)


@settings(max_examples=200, deadline=None)
@given(TRICKY, st.sampled_from(MARKUPS))
def test_what_markup_leaves_was_there_or_was_decoded(text: str, markup: str) -> None:
    mapped = strip_markup(text, markup)
    for at, char in enumerate(mapped.text):
        source = mapped.to_original(at, at + 1).of(text)
        assert source == char or source[0] in "&<"


def test_whole_text_maps_to_the_whole_prose() -> None:
    mapped = fold("  The  Café\n")
    assert mapped.to_original(0, len(mapped.text)).of(mapped.original) == "The  Café"


def test_a_letter_that_grows_maps_back_to_itself() -> None:
    mapped = fold("xİy")
    assert mapped.text == "xi̇y"
    assert [mapped.to_original(at, at + 1).of("xİy") for at in range(4)] == ["x", "İ", "İ", "y"]


def test_letters_that_join_map_back_to_all_their_parts() -> None:
    text = "\u1112\u1161\u11ab e\u0301 \u212b"
    mapped = fold(text)
    assert mapped.text == "한 é å"
    assert [mapped.to_original(at, at + 1).of(text) for at in (0, 2, 4)] == ["\u1112\u1161\u11ab", "e\u0301", "\u212b"]


def test_a_stretch_outside_the_text_is_refused() -> None:
    with pytest.raises(ValueError, match="not a stretch of a text of 2"):
        fold("ab").to_original(1, 3)


def test_every_character_that_can_join_the_one_before_is_known() -> None:
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        parts = unicodedata.decomposition(char).split()
        if len(parts) == 2 and not parts[0].startswith("<") and unicodedata.normalize("NFC", char) == char:
            assert _joins(chr(int(parts[1], 16))), hex(code)
        assert not unicodedata.combining(char) or _joins(char), hex(code)


def test_composition_in_parts_is_composition_of_the_whole() -> None:
    chosen = random.Random(7)
    alphabet = [
        chr(code) for code in (*range(0x41, 0x5B), *range(0x300, 0x345), *range(0x1100, 0x1112), *range(0x1161, 0x1176))
    ]
    text = "".join(chosen.choice(alphabet) for _ in range(20_000))
    assert fold(text).text == norm(text)


def test_a_pile_of_marks_does_not_hang() -> None:
    assert len(fold("e" + "\u0301\u0323" * 200_000).text) == 400_001


@pytest.mark.parametrize(
    ("raw", "prose"),
    [
        ("# Head ##\n\nBody", "Head\n\nBody"),
        ("a **bold *and* it** b", "a bold and it b"),
        ("***both***", "both"),
        ("**bold *it***", "bold it"),
        ("snake_case and 2 * 3 * 4", "snake_case and 2 * 3 * 4"),
        ('[text](http://x.y/a_(b) "t") ![alt](i.png)', "text alt"),
        ("`a*b*c` and ``x`y``", "a*b*c and x`y"),
        (r"\*not\* \[1\]", "*not* [1]"),
        ("fact [1] and [E2]", "fact [1] and [E2]"),
        ("[a][r] and [b][c]\n\n[r]: http://x", "a and [b][c]\n\n"),
        ("- one\n> two", "one\ntwo"),
        ("```py\na *b* c\n```", "\na *b* c\n"),
        ("x &amp; y <b>z</b>", "x & y z"),
        ("see <http://a.b>", "see http://a.b"),
        ("~~old~~ __new__", "old new"),
    ],
)
def test_markdown_leaves_the_prose(raw: str, prose: str) -> None:
    assert strip_markup(raw, "markdown").text == prose


@pytest.mark.parametrize(
    ("raw", "prose"),
    [
        ("Tom &amp; <b>Jerry</b>", "Tom & Jerry"),
        ("<p>One</p><p>Two</p>", "\nOne\n\nTwo\n"),
        ("a<br/>b", "a\nb"),
        ("<script>x < 1</script>a<!-- b -->c", "ac"),
        ("if x <y and z> w &nosuch; 3 < 4", "if x <y and z> w &nosuch; 3 < 4"),
        ('<a title="a>b" href=x>link</a>', "link"),
        ("<!-- never closed", " never closed"),
        ("&#8212;&#x41;&nbsp;", "—A\u00a0"),
    ],
)
def test_html_leaves_the_prose(raw: str, prose: str) -> None:
    assert strip_markup(raw, "html").text == prose


def test_wikitext_leaves_the_prose() -> None:
    pytest.importorskip("mwparserfromhell")
    raw = (
        "'''Bold''' [[Paris|the city]] of [[France]]{{cite|a}}<ref>x</ref> &amp; [http://x y z] <b>q</b>\n== Head ==\n"
    )
    mapped = strip_markup(raw, "wikitext")
    assert mapped.text == "Bold the city of France & y z q\n Head \n"
    at = mapped.text.index("the city")
    assert mapped.to_original(at, at + 8).of(raw) == "the city"


def test_tangled_wikitext_is_left_as_it_is() -> None:
    raw = "[[a|" * 50_000
    assert strip_markup(raw, "wikitext").text == raw


def test_an_unknown_markup_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match="unknown markup 'rtf'; use plain, html, markdown, wikitext"):
        strip_markup("x", "rtf")


def test_ligatures_are_written_out_with_the_way_back():
    mapped = normalise("The ﬁnal oﬃce")
    assert mapped.text == "the final office"
    assert mapped.to_original(4, 9).of(mapped.original) == "ﬁnal"
    assert mapped.to_original(10, 16).of(mapped.original) == "oﬃce"

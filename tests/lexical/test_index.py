import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import SourceError
from assay.lexical import index as index_module
from assay.lexical.index import SourceIndex, index_document
from assay.lexical.search import candidates
from assay.text.comparable import words_of
from assay.types import Claim, Document, Span


def found(text, phrase):
    return [span.of(text) for span in SourceIndex(Document("d", text)).find(phrase)]


def test_every_occurrence_is_found_as_it_is_written():
    assert found("The CAT sat. A cat\nsat; the  Cat, sat.", "cat sat") == ["CAT sat", "cat\nsat", "Cat, sat"]


@pytest.mark.parametrize(
    ("text", "phrase", "expected"),
    [
        ("a bipolar bear", "polar bear", []),
        ("8,849 m", "8849 m", ["8,849 m"]),
        ("300,000 people", "300 people", []),
        ("300,000 people", "300", []),
        ("at -5 degrees", "5 degrees", []),
        ("at -5 degrees", "-5 degrees", ["-5 degrees"]),
        ("it grew by 5 % then", "it grew by 5", []),
        ("sold for 300 million", "sold for 300", []),
        ("the well-known man", "well known", ["well-known"]),
        ("Curie’s work", "curie's work", ["Curie’s work"]),
        ("İstanbul büyük", "i̇stanbul", ["İstanbul"]),
        ("cafe\u0301 noir", "caf\u00e9 noir", ["cafe\u0301 noir"]),
        ("中华人民共和国", "人民", ["人民"]),
    ],
)
def test_whole_words_and_whole_numbers_only(text, phrase, expected):
    assert found(text, phrase) == expected


def test_a_frequent_phrase_is_found_too():
    text = "so it goes on and on " * 6_000 + "it goes off"
    assert len(found(text, "it goes")) == 6_001
    assert found(text, "goes off") == ["goes off"]


def test_the_same_document_is_indexed_once():
    assert index_document(Document("d", "same text")) is index_document(Document("d", "same text"))
    assert index_document(Document("d", "same text")) is not index_document(Document("e", "same text"))


def test_only_a_few_indexes_are_kept():
    first = index_document(Document("first", "text"))
    for number in range(20):
        index_document(Document(str(number), "text"))
    assert index_document(Document("first", "text")) is not first


def test_a_source_beyond_the_limit_is_refused_with_advice(monkeypatch):
    monkeypatch.setattr(index_module, "MAX_SOURCE_CHARS", 10)
    with pytest.raises(SourceError, match=r"big.*11 characters.*limit is 10.*split it"):
        SourceIndex(Document("big", "x" * 11))


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200), st.integers(0, 20), st.integers(1, 6))
def test_any_run_of_words_is_found_where_it_stands(text, first, length):
    index = SourceIndex(Document("d", text))
    if first >= len(index):
        return
    last = min(first + length, len(index)) - 1
    span = index.span(first, last)
    words = [index.word(number) for number in range(first, last + 1)]
    assert words_of(span.of(text))[:1] == words[:1] or len(words) == 1
    whole_number = words[0][:1].isdigit() or words[-1][-1:].isdigit()
    assert whole_number or (first, last) in set(index.find_words(words))


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=300), st.text(max_size=80), st.sampled_from(["plain", "html", "markdown", "wikitext"]))
def test_candidates_are_stretches_of_their_document(text, claim, markup):
    document = Document("d", text, markup=markup)
    for passage in candidates(claim, [SourceIndex(document)], 3):
        assert 0 <= passage.start < passage.end <= len(text)
        assert 0 <= passage.similarity <= 1


SOURCE = "\n\n".join(
    f"Town {n} has a mill. The mill of town {n} grinds rye. It was built in {1500 + n}." for n in range(300)
)


def test_the_best_passage_comes_first_and_is_short():
    (best, *_) = candidates("The mill of town 217 was built in 1717.", [index_document(Document("d", SOURCE))], 3)
    assert "1717" in best.text
    assert "217" in best.text
    assert len(best.text) < 120


def test_a_claim_found_word_for_word_comes_first_from_any_source():
    other = Document("other", "Rye is grown in the north. Mills grind it.")
    best = candidates("Rye is grown in the north.", [index_document(Document("d", SOURCE)), index_document(other)], 2)[
        0
    ]
    assert (best.document_id, best.text, best.reason) == ("other", "Rye is grown in the north.", "same words")


def test_the_sentence_before_a_pronoun_comes_along():
    document = Document("d", "Everest is high. It borders Nepal and China. Goats live there.")
    assert candidates("It borders Nepal and China.", [index_document(document)], 1)[0].text.startswith(
        "Everest is high."
    )


def test_what_a_pronoun_points_back_to_helps_to_choose():
    claim = Claim("It was built in stone.", (Span(0, 22),), context="The mill of Arles is old.")
    document = Document(
        "d", "The barn of Metz is red. It was built in wood.\n\nThe mill of Arles is red. It was built in brick."
    )
    assert "Arles" in candidates(claim, [index_document(document)], 1)[0].text


def test_a_source_without_the_words_gives_no_passage():
    assert candidates("Zebras graze.", [index_document(Document("d", SOURCE))], 3) == []
    assert candidates("", [index_document(Document("d", SOURCE))], 3) == []
    assert candidates("Zebras graze.", [], 3) == []


def test_a_quote_is_looked_for_literally_unless_it_is_short(monkeypatch):
    text = (
        "Many things were said. " * 3 + "He called it odd luck at sea. Odd weather, odd luck and odd people were there."
    )
    indexes = [index_document(Document("d", text))]
    claim = 'The captain spoke of "odd luck".'

    def literal() -> list[str]:
        return [passage.text for passage in candidates(claim, indexes, 5) if passage.reason == "same words"]

    assert any("He called it odd luck at sea." in text for text in literal())
    monkeypatch.setattr("assay.lexical.quotes.QUOTE_MIN_CHARS", 20)
    assert literal() == []

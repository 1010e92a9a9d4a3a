"""Names, told by their capitals."""

import pytest

from assay.text.names import find_entities, find_names, is_bare_name


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("The river was named by Jean-Paul Marat", ["marat"]),
        ("J. R. R. Tolkien's home", ["tolkien"]),
        ("On Monday in May the Bank of England", ["bank", "england"]),
        ("Microsoft Corporation", ["microsoft"]),
        ("lower case only", []),
    ],
)
def test_names(text, keys):
    assert [name.key for name in find_names(text)] == keys


@pytest.mark.parametrize(
    "text", ["Marie Curie", "Marie Curie and Pierre Curie.", "Ludwig van Beethoven", "Mount Everest!"]
)
def test_bare_names(text):
    assert is_bare_name(text)


@pytest.mark.parametrize(
    "text", ["Everest", "Paris Is The Capital", "Marie Curie won", "Founded 1976", "", "中文字中文字 中文字", "IBM SAP"]
)
def test_what_is_no_bare_name(text):
    assert not is_bare_name(text)


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("Zu\u0308rich grew.", ["Zu\u0308rich"]),
        ("It ran on GPT4 and K2.", ["GPT4", "K2"]),
        ("He went to England. Smith stayed.", ["England", "Smith"]),
        ("Curie's work", ["Curie"]),
    ],
)
def test_a_name_is_found_whole(text, texts):
    assert [name.text for name in find_names(text)] == texts


def test_a_sentence_end_parts_two_entities():
    text = "She met Anna Smith. Bob Jones left."
    assert [span.of(text) for span in find_entities(text)] == ["Anna Smith", "Bob Jones"]

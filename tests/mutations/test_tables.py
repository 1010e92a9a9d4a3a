"""Rows of tables, as the changed claims of the self-test are made from them."""

from assay.mutations.tables import find_rows

NAMED = "Name: Ann Lee | Town: Rome | People: 1,200\nName: Bo Ray | Town: Oslo | People: 300"
MARKDOWN = "Towns:\n\n| Town | People |\n|---|---|\n| Rome | 1,200 |\n| Oslo | 300 |\n\nThat was it."


def test_rows_are_found_with_their_columns_and_places():
    for text, first in ((NAMED, ("Name", "Ann Lee")), (MARKDOWN, ("Town", "Rome"))):
        rows = find_rows(text)
        assert len(rows) == 2
        assert rows[0].cells[0] == first
        assert first[1] in rows[0].span.of(text)


def test_prose_with_a_colon_is_no_table():
    assert find_rows("He said: go. Then: stay; she said: no.\nOne thing: it rained.") == []

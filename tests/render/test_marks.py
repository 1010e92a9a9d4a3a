from hypothesis import given
from hypothesis import strategies as st

from assay.render.marks import split_segments
from assay.types import Span

SPANS = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda pair: Span(*sorted(pair)))


def test_overlapping_claims_share_a_segment() -> None:
    parts = split_segments(Span(0, 10), [(Span(0, 6), 0), (Span(4, 8), 1)])
    assert [(p.start, p.end, p.owners) for p in parts] == [(0, 4, (0,)), (4, 6, (0, 1)), (6, 8, (1,)), (8, 10, ())]
    assert [p.closes for p in parts] == [(), (0,), (1,), ()]


def test_a_claim_in_two_places_opens_twice() -> None:
    parts = split_segments(Span(0, 9), [(Span(0, 3), 0), (Span(6, 9), 0)])
    assert [p.opens for p in parts] == [(0,), (), (0,)]


def test_decisive_words_cut_a_claim() -> None:
    parts = split_segments(Span(0, 9), [(Span(0, 9), 0)], [Span(3, 5)])
    assert [(p.start, p.end, p.strong) for p in parts] == [(0, 3, False), (3, 5, True), (5, 9, False)]


@given(st.lists(st.tuples(SPANS, st.integers(0, 5))), st.lists(SPANS))
def test_segments_cover_the_window_and_know_their_owners(marks: list[tuple[Span, int]], strong: list[Span]) -> None:
    window = Span(3, 25)
    parts = split_segments(window, marks, strong)
    assert [offset for part in parts for offset in range(part.start, part.end)] == list(range(3, 25))
    for part in parts:
        for offset in range(part.start, part.end):
            assert set(part.owners) == {owner for span, owner in marks if span.start <= offset < span.end}
            assert part.strong == any(span.start <= offset < span.end for span in strong)

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.memory.entries import Edge, EdgeKind, Entry, merge_edges, pack_edges, unpack_edges
from assay.memory.links import possible_titles
from assay.memory.maintenance import cluster, estimate_similarity, group_duplicates, minhash, retention_score
from assay.memory.stores.bm25 import choose_terms, evenness, rank, rarity

YEAR = 365.25 * 24 * 3600


def entry(number: int, *edges: Edge, importance: float = 1.0, access: int = 0, at: float = 0.0) -> Entry:
    return Entry(number, 1, 0, 1, "", "", None, at, access, 0.0, importance, None, None, None, True, edges)


def test_resemblance_tells_copies_from_relatives() -> None:
    text = " ".join(f"word{number}" for number in range(100))
    assert estimate_similarity(minhash(text), minhash(text.upper())) == 1
    assert estimate_similarity(minhash(text), minhash(text + " and one more")) >= 0.85
    assert estimate_similarity(minhash(text), minhash(" ".join(reversed(text.split())))) < 0.1
    assert estimate_similarity(minhash(""), minhash("")) == 1


def test_worth_grows_with_use_and_falls_with_age() -> None:
    assert retention_score(entry(1), now=0) == 1
    assert retention_score(entry(1, access=9), now=0) == 1 + math.log(10)
    assert retention_score(entry(1), now=YEAR / 2) == 0.5
    assert retention_score(entry(1), now=5 * YEAR) == 0.1
    assert (
        retention_score(entry(1, importance=2, at=YEAR), now=0) == 2
    )  # a clock that jumped back makes nothing younger than new


def test_groups_of_duplicates_put_the_most_important_first() -> None:
    copy = EdgeKind.DUPLICATE
    group = group_duplicates(
        [entry(1), entry(2, Edge(copy, 1)), entry(3, Edge(copy, 2), importance=2), entry(4, Edge(EdgeKind.NEXT, 1))]
    )
    assert [[item.id for item in members] for members in group] == [[3, 1, 2]]


@given(st.lists(st.tuples(st.sampled_from(list(EdgeKind)), st.integers(1, 2**62)), max_size=16))
def test_edges_survive_packing(pairs: list[tuple[EdgeKind, int]]) -> None:
    edges = tuple(Edge(kind, target, 0.5) for kind, target in pairs)
    assert unpack_edges(pack_edges(edges)) == edges


def test_too_many_edges_lose_the_weakest_kind_first() -> None:
    order = Edge(EdgeKind.NEXT, 1)
    near = [Edge(EdgeKind.NEIGHBOUR, number, number / 100) for number in range(2, 30)]
    kept = merge_edges([order], near, limit=4)
    assert kept[0] == order
    assert [edge.target for edge in kept[1:]] == [29, 28, 27]


def test_clusters_are_the_same_every_time_and_cover_everything() -> None:
    random = np.random.default_rng(1)
    vectors = {number: random.normal(size=8).astype(np.float32) for number in range(50)}
    vectors = {number: vector / np.linalg.norm(vector) for number, vector in vectors.items()}
    assigned, clusters = cluster(vectors)
    assert cluster(vectors) == (assigned, clusters)
    assert sum(item.size for item in clusters) == 50
    assert cluster({}) == ({}, [])
    assert cluster({7: vectors[0]})[0] == {7: 0}


def test_possible_titles_begin_with_a_capital_or_a_digit() -> None:
    titles = possible_titles("The film 12 Monkeys was made by Terry Gilliam.\nMonty Python")
    assert {"12 Monkeys", "Terry Gilliam", "Monty Python"} <= titles
    assert "The" not in titles
    assert not any(title.startswith("film") or "\n" in title for title in titles)


def test_rare_terms_and_short_passages_rank_higher() -> None:
    postings = [np.array([1, 2, 3, 4]), np.array([3])]
    found = rank(postings, total=10, mean=100, lengths=lambda ids: [50.0 if i == 4 else 100.0 for i in ids], k=4)
    assert [number for number, _ in found] == [3, 4, 1, 2]
    assert rank([], 0, 1, lambda _: [], 5) == []


def test_a_passage_removed_meanwhile_is_not_found_by_its_words() -> None:
    found = rank(
        [np.array([1, 2])], total=10, mean=10, lengths=lambda ids: [math.inf if i == 1 else 9 for i in ids], k=5
    )
    assert [number for number, _ in found] == [2]


@given(
    st.lists(st.sets(st.integers(1, 60), min_size=1), min_size=1, max_size=6),
    st.lists(st.integers(1, 90), min_size=61, max_size=61),
)
def test_ranking_by_lists_is_ranking_one_by_one(held: list[set[int]], lengths: list[int]) -> None:
    postings = [np.array(sorted(ids)) for ids in held]
    found = rank(postings, 100, 20.0, lambda ids: [lengths[i] for i in ids], 100)
    plain = {
        number: sum(rarity(len(ids), 100) for ids in held if number in ids) * evenness(float(lengths[number]), 20.0)
        for number in set().union(*held)
    }
    assert dict(found).keys() == plain.keys()
    assert all(math.isclose(score, plain[number]) for number, score in found)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_terms_are_chosen_rarest_first_within_the_budget() -> None:
    assert choose_terms({"the": 900_000, "zebra": 3, "nowhere": 0, "crossing": 50, "a": 500_000}) == [
        "zebra",
        "crossing",
        "a",
    ]

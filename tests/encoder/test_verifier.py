"""The verifier over tiny random networks: which scores come out is chance, how they hang together is not."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.encoder import Scores, Verifier
from assay.encoder.network import RawOutput
from assay.encoder.scores import NOTHING
from assay.encoder.verifier import CLAIM_TOKENS, Opinion, reading_title
from assay.errors import ModelError, UsageError
from assay.types import Document, Passage, Verdict
from tests.encoder.tiny import TOKENIZER, make_broken_folder, make_folder, write_manifest

TEXTS = (
    "The mill opened in 1900. It closed in 1950.",
    "The Basic plan is $19 per month. The Pro plan is priced at $49 monthly.",
    "Photography is forbidden.",
)
CLAIMS = ("The mill closed in 1950.", "The Pro plan costs $19.", "Visitors cannot take pictures inside.")


def whole(document: Document) -> Passage:
    return Passage(document, 0, len(document.text))


def quotes(opinion: Opinion) -> list[str]:
    return [sentence.span.of(sentence.document.text) for sentence in opinion.sentences]


def as_tuple(scores: Scores) -> tuple[float, float, float]:
    return scores.supported, scores.refuted, scores.insufficient


# Probabilities for pairs


def test_probabilities_sum_to_one_and_each_pair_has_its_own(verifier: Verifier) -> None:
    found = verifier.score([(text, claim) for text in TEXTS for claim in CLAIMS])
    assert len(set(map(as_tuple, found))) == 9
    assert all(sum(as_tuple(scores)) == pytest.approx(1) for scores in found)


def test_no_pairs_no_scores(verifier: Verifier) -> None:
    assert verifier.score([]) == []


@pytest.mark.parametrize("pair", [("", CLAIMS[0]), (TEXTS[0], ""), (" \n\n", CLAIMS[0]), (TEXTS[0], "\t"), ("", "")])
def test_nothing_to_read_is_insufficient(verifier: Verifier, pair: tuple[str, str]) -> None:
    assert verifier.score([pair]) == [NOTHING]


def test_a_score_does_not_depend_on_the_other_pairs(verifier: Verifier) -> None:
    pairs = [(text, claim) for text in TEXTS for claim in CLAIMS]
    together = verifier.score(pairs)
    for pair, scores in zip(pairs, together, strict=True):
        assert as_tuple(verifier.score([pair])[0]) == pytest.approx(as_tuple(scores), abs=1e-5)


class Recorder:
    """Stands in for `Verifier.judge`: notes what it is given, and gives the scores that are listed for a claim."""

    def __init__(self, given: dict[str, Scores]) -> None:
        self.given, self.cases = given, []

    def __call__(self, cases, question=None):
        self.cases += [(claim, [(p.document.title, p.text) for p in passages]) for claim, passages in cases]
        return [Opinion(self.given.get(claim, Scores(0.9, 0.04, 0.06))) for claim, _ in cases]


@pytest.fixture
def recorded(verifier: Verifier, monkeypatch: pytest.MonkeyPatch):
    def record(**given: Scores) -> Recorder:
        recorder = Recorder({claim.replace("_", " ") + ".": scores for claim, scores in given.items()})
        monkeypatch.setattr(verifier, "judge", recorder)
        return recorder

    return record


def test_evidence_is_read_as_passages_with_their_titles(verifier: Verifier, recorded) -> None:
    recorder = recorded()
    verifier.score([("Before.\n\n# Mill\nIt opened.\n\nIt closed.\n\n# Plans\nPro is $49.", CLAIMS[0])])
    ((claim, passages),) = recorder.cases
    assert claim == CLAIMS[0]
    assert passages == [("", "Before."), ("Mill", "It opened.\n\nIt closed."), ("Plans", "Pro is $49.")]


def test_a_title_changes_what_is_read(verifier: Verifier) -> None:
    plain, titled, other = verifier.score(
        [(TEXTS[0], CLAIMS[0]), (f"# Paris\n{TEXTS[0]}", CLAIMS[0]), (f"# France\n{TEXTS[0]}", CLAIMS[0])]
    )
    assert len({as_tuple(plain), as_tuple(titled), as_tuple(other)}) == 3


def test_a_claim_that_fits_one_reading_is_judged_whole(verifier: Verifier, recorded) -> None:
    recorder = recorded()
    claim = "The mill opened. It closed. " * 3
    verifier.score([(TEXTS[0], claim)])
    assert [text for text, _ in recorder.cases] == [claim]


def test_a_claim_too_long_for_one_reading_is_as_good_as_its_weakest_sentence(verifier: Verifier, recorded) -> None:
    backed, open_ = "The mill opened in France.", "Nobody saw the mill."
    recorder = recorded(Nobody_saw_the_mill=Scores(0.3, 0.1, 0.6), It_is_red=Scores(0.2, 0.7, 0.1))
    long = " ".join([backed] * 25)
    cases = [(TEXTS[0], long), (TEXTS[0], f"{long} {open_}"), (TEXTS[0], f"{open_} {long} It is red.")]
    first, second, third = verifier.score(cases)
    assert [text for text, _ in recorder.cases] == [
        *[backed] * 25,
        *[backed] * 25,
        open_,
        open_,
        *[backed] * 25,
        "It is red.",
    ]
    assert as_tuple(first) == pytest.approx((0.9, 0.04, 0.06))
    assert as_tuple(second) == pytest.approx((0.3, 0.1, 0.6))
    assert as_tuple(third) == pytest.approx((0.2, 0.7, 0.1))


def test_scores_of_long_and_short_claims_stay_in_the_order_of_the_pairs(verifier: Verifier, recorded) -> None:
    recorded(First=Scores(0.5, 0.2, 0.3), Last=Scores(0.1, 0.2, 0.7))
    long = " ".join(["The mill opened in France."] * 25)
    found = verifier.score([(TEXTS[0], "First."), (TEXTS[0], long), (TEXTS[0], "Last.")])
    assert [scores.supported for scores in found] == pytest.approx([0.5, 0.9, 0.1])


def test_a_long_claim_without_a_stop_is_read_as_far_as_one_reading_goes(verifier: Verifier) -> None:
    words = "the mill and " * 100
    cut = TOKENIZER.decode(TOKENIZER.encode(words, add_special_tokens=False).ids[: CLAIM_TOKENS - 2])
    one, other = verifier.score([(TEXTS[0], words), (TEXTS[0], cut)])
    assert as_tuple(one) == pytest.approx(as_tuple(other), abs=1e-5)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=300), st.text(max_size=80), st.one_of(st.none(), st.text(max_size=40)))
def test_any_text_gets_scores_and_receipts_that_hold(
    verifier: Verifier, evidence: str, claim: str, question: str | None
) -> None:
    assert sum(as_tuple(verifier.score([(evidence, claim)])[0])) == pytest.approx(1)
    document = Document("d", evidence)
    (opinion,) = verifier.judge([(claim, [whole(document)])], question)
    assert sum(s.weight for s in opinion.sentences) == pytest.approx(1 if opinion.sentences else 0, abs=1e-4)
    assert all(0 <= s.span.start < s.span.end <= len(evidence) for s in opinion.sentences)
    assert all(0 <= w.span.start < w.span.end <= len(claim) and 0 <= w.probability <= 1 for w in opinion.words)


def test_threads_share_one_verifier(verifier: Verifier) -> None:
    pairs = [(f"Fact {n} stands here. {text}", claim) for n in range(5) for text in TEXTS for claim in CLAIMS]
    expected = verifier.score(pairs)
    with ThreadPoolExecutor(4) as pool:
        assert all(found == expected for found in pool.map(verifier.score, [pairs] * 6))


# Opinions


@pytest.mark.parametrize("question", [None, "When did the mill close?"])
def test_opinions_point_to_sentences_and_words_that_are_there(folder: Path, question: str | None) -> None:
    verifier = Verifier.load(folder, 1)
    passages = [whole(Document(str(n), text)) for n, text in enumerate(TEXTS)]
    for claim, opinion in zip(CLAIMS, verifier.judge([(c, passages) for c in CLAIMS], question), strict=True):
        weights = [sentence.weight for sentence in opinion.sentences]
        assert sum(weights) == pytest.approx(1.0)
        assert weights == sorted(weights, reverse=True)
        assert set(quotes(opinion)) == {
            "The mill opened in 1900.",
            "It closed in 1950.",
            "The Basic plan is $19 per month.",
            "The Pro plan is priced at $49 monthly.",
            "Photography is forbidden.",
        }
        assert "".join(w.span.of(claim) for w in opinion.words) == claim.replace(" ", "")
        assert all(0 <= w.probability <= 1 for w in opinion.words)


def test_a_word_is_as_doubtful_as_its_most_doubtful_piece(verifier: Verifier) -> None:
    claim = "The zoo opened."
    assert TOKENIZER.encode(claim, add_special_tokens=False).tokens == ["the", "z", "##o", "##o", "opened", "."]
    scores = np.asarray([9, -1, -2, 3, -4, 0, -5, 9], dtype=np.float32)  # with the marks of the text around them
    found = verifier._words(claim, scores)
    assert [word.span.of(claim) for word in found] == ["The", "zoo", "opened", "."]
    assert [word.probability for word in found] == pytest.approx([1 / (1 + np.exp(-x)) for x in (-1, 3, 0, -5)])


def test_a_passage_inside_a_document_is_quoted_at_its_place(folder: Path) -> None:
    document = Document("d", "Not shown. " + TEXTS[0] + " Nor is this.")
    end = document.text.index(" Nor")
    (opinion,) = Verifier.load(folder, 1).judge([(CLAIMS[0], [Passage(document, 11, end, similarity=0.4)])])
    assert set(quotes(opinion)) == {"The mill opened in 1900.", "It closed in 1950."}
    assert {sentence.similarity for sentence in opinion.sentences} == {0.4}


def test_without_evidence_or_words_nothing_is_settled(verifier: Verifier) -> None:
    passage = whole(Document("d", TEXTS[0]))
    found = verifier.judge([("It closed.", []), ("", [passage]), ("It closed.", [passage])], "When?")
    assert [opinion == Opinion(NOTHING) for opinion in found] == [True, True, False]


def test_the_same_words_in_two_documents_are_quoted_from_the_first(verifier: Verifier) -> None:
    one, other = Document("one", TEXTS[0]), Document("other", TEXTS[0])
    (opinion,) = verifier.judge([(CLAIMS[0], [whole(one), whole(other)])])
    assert {sentence.document.id for sentence in opinion.sentences} == {"one"}
    (alone,) = verifier.judge([(CLAIMS[0], [whole(other)])])
    assert {sentence.document.id for sentence in alone.sentences} == {"other"}
    assert as_tuple(alone.scores) == pytest.approx(as_tuple(opinion.scores), abs=1e-6)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_same_tokens_cut_into_other_sentences_are_another_passage(tmp_path: Path, order: tuple[int, int]) -> None:
    verifier = Verifier.load(make_folder(tmp_path / "tiny"), 1)
    texts = ("See p. 5 now.", "See p.\n\n5 now.")
    for number in order:
        (opinion,) = verifier.judge([("See this now.", [whole(Document(str(number), texts[number]))])])
        assert sorted(quotes(opinion)) == (["See p. 5 now."], ["5 now.", "See p."])[number]
        assert sum(sentence.weight for sentence in opinion.sentences) == pytest.approx(1)


def test_a_question_is_read_but_never_quoted(verifier: Verifier) -> None:
    case = (CLAIMS[0], [whole(Document("d", TEXTS[0]))])
    (plain,), (asked,) = verifier.judge([case]), verifier.judge([case], "When did the mill close?")
    assert plain.scores != asked.scores
    assert set(quotes(plain)) == set(quotes(asked))


def test_the_model_reads_a_documents_date_with_its_title() -> None:
    day = date(2024, 1, 1)
    assert reading_title(Document("d", "x", title="Fees", date=day)) == "Fees (2024-01-01)"
    assert reading_title(Document("d", "x", title="Fees")) == "Fees"
    assert reading_title(Document("d", "x", date=day)) == "(2024-01-01)"
    assert reading_title(Document("d", "x")) == ""


# Evidence longer than what a claim is shown at once


FACTS = [f"Fact {n} stands in the text." for n in range(40)]


@pytest.fixture
def long_evidence(monkeypatch: pytest.MonkeyPatch) -> Document:
    """Forty sentences in pieces of about three, of which a claim is shown two; five pieces at once."""
    monkeypatch.setattr("assay.encoder.verifier.SHOWN_TOKENS", 200)
    monkeypatch.setattr("assay.encoder.verifier.NARROWED_PIECES", 2)
    monkeypatch.setattr("assay.encoder.verifier.encode_passages.__defaults__", (40,))
    return Document("d", "Nothing before. " + " ".join(FACTS))


class Watched:
    """The network of a verifier, with a note of each claim it judged; `favourite` is the token its pointer likes."""

    def __init__(self, verifier: Verifier, monkeypatch: pytest.MonkeyPatch, favourite: str = "") -> None:
        self.network, self.judged, self.tokens = verifier._network, [], []
        self.favourite = TOKENIZER.encode(favourite, add_special_tokens=False).ids
        monkeypatch.setattr(verifier, "_network", self)

    def read(self, passages):
        return self.network.read(passages)

    def judge(self, claims, read):
        self.judged.append([list(claim.passages) for claim in claims])
        self.tokens += [sum(len(read[n].ids) for n in claim.passages) for claim in claims]
        found = self.network.judge(claims, read)
        if not self.favourite:
            return found
        return [
            RawOutput(raw.logits, np.concatenate([self.rank(read[n]) for n in claim.passages]), raw.words)
            for claim, raw in zip(claims, found, strict=True)
        ]

    def rank(self, passage) -> np.ndarray:
        ids = passage.ids.tolist()
        has = any(ids[at : at + len(self.favourite)] == self.favourite for at in range(len(ids)))
        return np.full(len(passage.starts), 5.0 if has else 0.0, dtype=np.float32)


@pytest.fixture
def fresh(tmp_path: Path) -> Verifier:
    """A verifier of one's own: what an earlier test read in pieces of another size is not in its store."""
    return Verifier.load(make_folder(tmp_path / "fresh"), 1)


def test_short_evidence_is_shown_as_it_is(fresh: Verifier, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(fresh, monkeypatch)
    fresh.judge([(CLAIMS[0], [whole(Document(str(n), text)) for n, text in enumerate(TEXTS)])])
    assert watched.judged == [[[0, 1, 2]]]


def test_long_evidence_is_judged_by_its_best_pieces(
    fresh: Verifier, monkeypatch: pytest.MonkeyPatch, long_evidence: Document
) -> None:
    watched = Watched(fresh, monkeypatch, favourite="fact 31")
    start = len("Nothing before. ")
    passage = Passage(long_evidence, start, len(long_evidence.text))
    (opinion,) = fresh.judge([(CLAIMS[0], [passage])])
    ranking, (final,) = watched.judged
    pieces = [number for stretch in ranking for number in stretch]
    assert pieces == list(range(len(pieces)))  # each is ranked once
    assert all(size <= 200 for size in watched.tokens)
    assert len(final) == 2
    assert "Fact 31 stands in the text." in quotes(opinion)[:4]
    assert set(quotes(opinion)) <= set(FACTS)
    assert all(sentence.span.start >= start for sentence in opinion.sentences)
    assert sum(sentence.weight for sentence in opinion.sentences) == pytest.approx(1)


@pytest.mark.parametrize("favourite", ["", "fact 0", "fact 39"])
def test_narrowed_evidence_keeps_the_question(
    fresh: Verifier, monkeypatch: pytest.MonkeyPatch, long_evidence: Document, favourite: str
) -> None:
    watched = Watched(fresh, monkeypatch, favourite)
    (opinion,) = fresh.judge([(CLAIMS[0], [whole(long_evidence)])], "Which fact is it?")
    pieces = 1 + max(n for stretch in watched.judged[0] for n in stretch)
    (final,) = watched.judged[-1]
    assert final[-1] == pieces - 1  # the question, after the evidence
    assert len(final) == 3
    assert final == sorted(final)
    assert len(opinion.sentences) <= 8
    assert set(quotes(opinion)) <= {"Nothing before.", *FACTS}


def test_only_the_claim_with_long_evidence_is_narrowed(
    fresh: Verifier, monkeypatch: pytest.MonkeyPatch, long_evidence: Document
) -> None:
    short = whole(Document("short", TEXTS[0]))
    (alone,) = fresh.judge([(CLAIMS[0], [short])])
    watched = Watched(fresh, monkeypatch)
    long, beside = fresh.judge([(CLAIMS[1], [whole(long_evidence)]), (CLAIMS[0], [short])])
    assert [len(shown) for shown in watched.judged[-1]] == [2, 1]
    assert as_tuple(beside.scores) == pytest.approx(as_tuple(alone.scores), abs=1e-5)
    assert {sentence.document.id for sentence in long.sentences} == {"d"}


def test_narrowing_ends_in_the_opinion_that_the_chosen_pieces_give_alone(
    fresh: Verifier, monkeypatch: pytest.MonkeyPatch, long_evidence: Document
) -> None:
    (opinion,) = fresh.judge([(CLAIMS[0], [whole(long_evidence)])])
    places = sorted((s.span.start, s.span.end) for s in opinion.sentences)
    stretches: list[list[tuple[int, int]]] = []
    for place in places:  # sentences that touch are of one piece, or of two neighbours that are cut the same way again
        if stretches and place[0] - stretches[-1][-1][1] <= 1:
            stretches[-1].append(place)
        else:
            stretches.append([place])
    passages = [Passage(long_evidence, stretch[0][0], stretch[-1][1]) for stretch in stretches]
    (again,) = fresh.judge([(CLAIMS[0], passages)])
    assert as_tuple(again.scores) == pytest.approx(as_tuple(opinion.scores), abs=1e-5)


# Verdicts


def decided(folder: Path, scores: Scores, **costs: float) -> tuple[Verdict, float]:
    calibration = {"temperature": 1.0, "costs": costs}
    return Verifier.load(make_folder(folder, calibration=calibration), 1).decide(scores)


def test_the_verdict_follows_the_costs_of_the_models_calibration(tmp_path: Path) -> None:
    torn, likely = Scores(0.3, 0.4, 0.3), Scores(0.6, 0.1, 0.3)
    assert decided(tmp_path / "a", torn) == (Verdict.REFUTED, 0.4)
    assert decided(tmp_path / "b", torn, false_refuted=1.0) == (Verdict.INSUFFICIENT, 0.6)
    assert decided(tmp_path / "c", likely) == (Verdict.SUPPORTED, 0.6)
    assert decided(tmp_path / "d", likely, false_supported=1.0) == (Verdict.INSUFFICIENT, 0.4)


def test_labels_in_another_order_are_put_right(tmp_path: Path) -> None:
    usual = Verifier.load(make_folder(tmp_path / "usual"), 1)
    turned = Verifier.load(make_folder(tmp_path / "turned", labels=["INSUFFICIENT", "SUPPORTED", "REFUTED"]), 1)
    (one,), (other,) = (model.score([(TEXTS[0], CLAIMS[0])]) for model in (usual, turned))
    assert as_tuple(one) == pytest.approx((other.insufficient, other.supported, other.refuted))


def test_the_calibration_of_the_bundle_is_applied(tmp_path: Path) -> None:
    sure = Verifier.load(make_folder(tmp_path / "sure", calibration={"temperature": 1.0}), 1)
    shifted = {"temperature": 1.0, "shift": {"REFUTED": 2.0}}
    (one,), (other,) = (
        model.score([(TEXTS[0], CLAIMS[0])])
        for model in (sure, Verifier.load(make_folder(tmp_path / "shifted", calibration=shifted), 1))
    )
    assert other.refuted / other.supported == pytest.approx(np.exp(2) * one.refuted / one.supported, rel=1e-4)


# Models that cannot be used


def test_nan_is_an_error_and_never_a_score(tmp_path: Path) -> None:
    verifier = Verifier.load(make_broken_folder(tmp_path / "nan"))
    with pytest.raises(ModelError, match="NaN or infinite"):
        verifier.score([(TEXTS[0], CLAIMS[0])])


@pytest.mark.parametrize("content", [b"{}", b"\xff\xfe", b'{"version": "1.0"'])
def test_a_tokenizer_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    folder = make_folder(tmp_path / "tiny")
    (folder / "tokenizer.json").write_bytes(content)
    write_manifest(folder)
    with pytest.raises(ModelError, match=r"tokenizer\.json"):
        Verifier.load(folder)


def test_an_impossible_calibration_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="temperature"):
        Verifier.load(make_folder(tmp_path / "tiny", calibration={"temperature": -1}))


def test_a_failed_load_is_tried_again_once_the_file_is_whole(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "tiny")
    content = (folder / "heads.onnx").read_bytes()
    (folder / "heads.onnx").write_bytes(content[:-1])
    with pytest.raises(ModelError, match=r"heads\.onnx has"):
        Verifier.load(folder)
    (folder / "heads.onnx").write_bytes(content)
    assert Verifier.load(folder).name == "tiny"


def test_a_model_is_loaded_once_in_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_folder(tmp_path / "tiny")
    monkeypatch.chdir(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(Verifier.load, [folder, str(folder), "tiny", folder / ".." / "tiny"]))
    assert len(set(map(id, found))) == 1
    assert Verifier.load(folder, threads=1) is not found[0]


def test_no_thread_is_no_verifier(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least one thread, not 0"):
        Verifier.load(tmp_path, threads=0)


def test_a_verifier_is_named_by_its_manifest(tmp_path: Path) -> None:
    verifier = Verifier.load(make_folder(tmp_path / "tiny", version="7"))
    assert (verifier.name, verifier.version, len(verifier.sha256)) == ("tiny", "7", 64)
    assert repr(verifier) == f"<Verifier tiny 7 {verifier.sha256[:12]}>"


# Claims read with the sentences that a finder points to


@pytest.fixture(scope="module")
def close_verifier(tmp_path_factory: pytest.TempPathFactory) -> Verifier:
    return Verifier.load(make_folder(tmp_path_factory.mktemp("close") / "tiny", finder="tiny"), threads=1)


def test_a_close_opinion_depends_on_the_claim_and_its_evidence_alone(close_verifier: Verifier) -> None:
    cases = [(claim, [whole(Document(text[:9], text)) for text in TEXTS]) for claim in CLAIMS]
    together = close_verifier.judge(cases)
    for case, opinion in zip(cases, together, strict=True):
        (alone,) = close_verifier.judge([case])
        assert as_tuple(alone.scores) == pytest.approx(as_tuple(opinion.scores), abs=0.02)
        assert quotes(alone)[0] == quotes(opinion)[0]


def test_a_close_opinion_points_into_its_documents(close_verifier: Verifier) -> None:
    documents = [Document(str(number), text) for number, text in enumerate(TEXTS)]
    (opinion,) = close_verifier.judge([(CLAIMS[1], [whole(document) for document in documents])])
    assert sum(sentence.weight for sentence in opinion.sentences) == pytest.approx(1)
    assert all(quote in text for quote, text in ((q, " ".join(TEXTS)) for q in quotes(opinion)))


@pytest.mark.parametrize(("claim", "text"), [("", TEXTS[0]), (CLAIMS[0], " \n\n")])
def test_a_close_reading_of_nothing_settles_nothing(close_verifier: Verifier, claim: str, text: str) -> None:
    (opinion,) = close_verifier.judge([(claim, [whole(Document("d", text))])])
    assert opinion.scores == NOTHING


def test_readings_in_several_rooms_have_an_equal_say(tmp_path: Path) -> None:
    cases = [(CLAIMS[1], [whole(Document(str(number), text)) for number, text in enumerate(TEXTS)])]
    opinions = {}
    for rooms in ([6], [160], [6, 160], [6, 6]):
        folder = make_folder(
            tmp_path / "-".join(map(str, rooms)), finder=None, calibration={"temperature": 1.0, "rooms": rooms}
        )
        verifier = Verifier.load(folder, threads=1)
        opinions[tuple(rooms)] = verifier._judge_closely(cases, verifier.find(cases), None)[0]
    narrow, wide, both, same = (np.asarray(as_tuple(opinion.scores)) for opinion in opinions.values())
    assert not np.allclose(narrow, wide, atol=1e-4)
    mean = np.sqrt(narrow * wide)
    assert both == pytest.approx(mean / mean.sum(), abs=1e-4)
    assert same == pytest.approx(narrow)
    assert len(opinions[6,].sentences) < len(opinions[6, 160].sentences) == len(opinions[160,].sentences)
    assert sum(sentence.weight for sentence in opinions[6, 160].sentences) == pytest.approx(1)

import hashlib
import json

import pytest

from assay.errors import SourceError
from assay.lattice import EvidenceMap, EvidenceObject, build_evidence_map, map_from, verify_pointer_answer
from assay.types import Document, Passage, sha256_of

TEXT = "Bees make honey. Wax is made by bees too. Honey keeps. The honey of bees, bees say, is honey."
BEES = Document("bees", TEXT, title="Bees", role="primary_answer_source")
ANTS = Document("ants", "Ants do not make honey.", title="Ants")


def passage(document, quote):
    start = document.text.index(quote)
    return Passage(document, start, start + len(quote))


def test_evidence_ids_are_content_addressed():
    item = EvidenceObject("E1", "Bees make honey.", start=4)
    chunk = hashlib.sha256(b"Bees make honey.").hexdigest()
    assert item.chunk_sha256 == chunk
    assert item.evidence_id == "E" + hashlib.sha256(f"{chunk}:4:20".encode()).hexdigest()[:8]
    assert EvidenceObject("E7", "Bees make honey.", start=4, title="other").evidence_id == item.evidence_id
    assert EvidenceObject("E1", "Bees make honey.", start=5).evidence_id != item.evidence_id


def test_objects_are_ordered_by_distinct_words_then_mentions_then_position():
    pieces = ["Honey keeps.", "Wax is made by bees too.", "Bees make honey.", "The honey of bees, bees say, is honey."]
    shown = build_evidence_map("Do bees store honey?", [passage(BEES, piece) for piece in pieces])
    # "store" is in none; two distinct words in two texts, of which one mentions them more often.
    assert [item.text for item in shown] == [pieces[3], pieces[2], pieces[1], pieces[0]]
    assert [item.pointer_id for item in shown] == ["E1", "E2", "E3", "E4"]


def test_sources_keep_the_order_in_which_they_were_found():
    shown = build_evidence_map(
        "honey of bees", [ANTS, passage(BEES, "Honey keeps."), passage(BEES, "Bees make honey.")]
    )
    assert [item.source_id for item in shown] == ["ants", "bees", "bees"]
    assert [item.text for item in shown][1:] == ["Bees make honey.", "Honey keeps."]


def test_every_object_can_be_found_in_its_source():
    for item in build_evidence_map("honey", [passage(BEES, "Honey keeps."), ANTS]):
        document = BEES if item.source_id == "bees" else ANTS
        assert document.text[item.start : item.end] == item.text
        assert item.source_sha256 == document.sha256
        assert item.source_role == document.role
        assert item.title == document.title


def test_the_same_passage_comes_once_and_blank_ones_never():
    twice = passage(BEES, "Honey keeps.")
    assert len(build_evidence_map("honey", [twice, twice, Passage(BEES, 0, 0)])) == 1


def test_a_map_comes_from_anything_that_retrieves():
    class Shelf:
        def retrieve(self, query, k):
            assert (query, k) == ("honey", 7)
            return [passage(BEES, "Honey keeps.")]

    shown = map_from(Shelf(), "honey", 7)
    assert shown.question == "honey"
    assert [item.text for item in shown] == ["Honey keeps."]


def test_a_map_survives_its_json(tmp_path):
    shown = build_evidence_map("honey?", [passage(BEES, "Honey keeps."), ANTS])
    path = tmp_path / "map.json"
    path.write_text(json.dumps(shown.to_dict()), encoding="utf-8")
    assert EvidenceMap.load(path) == shown


def test_a_changed_text_is_refused():
    data = EvidenceMap.of([EvidenceObject("E1", "Bees make honey.")]).to_dict()
    data["evidence"][0]["text"] = "Bees make money."
    with pytest.raises(SourceError, match=r"E1.*was changed"):
        EvidenceMap.from_dict(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"items": []}, "expected"),
        ([{"text": "a"}], "object 1 has no pointer_id"),
        ([{"pointer_id": "E1"}], "object 1 has no text"),
        (["E1"], "object 1 is a str"),
        ([{"pointer_id": "first", "text": "a"}], "a pointer is E and a number"),
        ([{"pointer_id": "E1", "text": "a", "colour": "red"}], "unknown field 'colour'"),
        ([{"pointer_id": "E1", "text": "a", "start": "0"}], "start is a int"),
        ([{"pointer_id": "E1", "text": "a", "start": 3, "end": 9}], "cannot stand at 3–9"),
        ([{"pointer_id": "E1", "text": "a"}, {"pointer_id": "e1", "text": "b"}], "has E1 twice"),
    ],
)
def test_a_bad_map_is_refused_with_the_place_and_the_reason(data, message):
    with pytest.raises(SourceError, match=message):
        EvidenceMap.from_dict(data)


def test_a_missing_or_broken_file_is_named(tmp_path):
    with pytest.raises(SourceError, match=r"nowhere\.json"):
        EvidenceMap.load(tmp_path / "nowhere.json")
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    with pytest.raises(SourceError, match=r"bad\.json is not valid JSON"):
        EvidenceMap.load(tmp_path / "bad.json")


def test_an_object_can_be_cited_by_its_evidence_id_and_is_then_the_same_citation():
    item = EvidenceObject("E1", "Bees make honey in summer.", title="Bees")
    result = verify_pointer_answer(f"Bees make honey in summer. [E1, {item.evidence_id.lower()}]", [item])
    assert result.audit_mode == "STRICT"
    assert result.evidence_id_pairs == ((0, "E1", item.evidence_id, True),)


def test_a_map_may_be_given_as_a_mapping():
    item = EvidenceObject("E1", "Bees make honey in summer.", title="Bees")
    assert verify_pointer_answer("Bees make honey. [E1]", {"E1": item}).audit_mode == "STRICT"
    with pytest.raises(SourceError, match="not str"):
        verify_pointer_answer("Bees make honey. [E1]", ["E1"])


def test_hashes_agree_with_the_documents():
    assert EvidenceObject("E1", "ü\ud800").chunk_sha256 == sha256_of("ü\ud800")

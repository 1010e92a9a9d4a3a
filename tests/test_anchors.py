import pytest

from assay.anchors import cited_documents, resolve
from assay.memory.passages import cut_passages
from assay.types import Citation, Claim, Document, Span, sha256_of

FIRST = Document("notes/height.md", "Everest is high.", title="How high is Everest?")
SECOND = Document("ascent.html", "Hillary climbed.", title="The first ascent", uri="https://peaks.example/ascent.html")
DOCUMENTS = (FIRST, SECOND)


@pytest.mark.parametrize(
    ("target", "style", "expected"),
    [
        ("1", "number", [FIRST]),
        ("2", "number", [SECOND]),
        ("0", "number", []),
        ("3", "number", []),
        (FIRST.sha256[:8], "hash", [FIRST]),
        ("deadbeef", "hash", []),
        ("height.md", "hash", [FIRST]),
        ("depth.md", "hash", []),
        ("height.md", "source", [FIRST]),
        ("height", "source", [FIRST]),
        ("The First  Ascent", "source", [SECOND]),
        ("https://peaks.example/ascent.html#said", "link", [SECOND]),
        ("https://elsewhere.example/", "link", []),
        ("", "source", []),
    ],
)
def test_an_anchor_names_a_document_or_nothing(target, style, expected):
    assert resolve(target, style, DOCUMENTS) == expected


def test_an_anchor_that_names_nothing_is_a_phantom():
    phantom = Citation("[9]", Span(10, 13), "number", ("9",))
    real = Citation("[1]", Span(5, 8), "number", ("1",))
    claim = Claim("x", (Span(0, 4),), citations=(real, phantom))
    assert cited_documents(claim, DOCUMENTS) == ([FIRST], [phantom])


def test_a_hash_names_a_passage_of_a_document():
    document = Document("log", "One is here. " * 80 + "The last is there.")
    last = cut_passages(document)[-1]
    named = sha256_of(document.text[last.start : last.end])
    assert named != document.sha256
    assert resolve(named[:8], "hash", [FIRST, document]) == [document]
    assert resolve(named[:7], "hash", [FIRST, document]) == []

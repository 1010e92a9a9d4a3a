import pytest

from assay.anchors import cited_documents, resolve
from assay.types import Citation, Claim, Document, Span

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

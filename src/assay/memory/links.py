"""Find edges between documents: mentioned titles, links, near-duplicates and semantic neighbours."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import numpy as np

from assay.memory.entries import Edge, EdgeKind, Entry
from assay.memory.maintenance import estimate_similarity, minhash
from assay.memory.stores import MemoryStore
from assay.text.tokens import WORD, is_stop_word
from assay.types import Document

_TITLE_WORDS = 7
_SHORTEST_TITLE = 4
_MARKDOWN_LINK = re.compile(r"\]\(([^()\s#?]{1,300})")
_NEIGHBOURS = 3
_LOOKED_AT = 8
# A resemblance of 0.85 in three-word runs never comes with a smaller cosine; below it the texts need not be compared.
DUPLICATE_SIMILARITY = 0.85  # MinHash similarity from which passages are near-duplicates
_DUPLICATE_COSINE = 0.8


def find_edges(store: MemoryStore, ids: Sequence[int]) -> dict[int, list[Edge]]:
    """For passages that are new in the store, their edges to other documents."""
    entries = store.entries(ids)
    sources = store.documents({entry.document for entry in entries.values()})
    texts = {
        identity: sources[entry.document].text[entry.start : entry.end]
        for identity, entry in entries.items()
        if entry.document in sources
    }
    edges: dict[int, list[Edge]] = {identity: [] for identity in texts}
    _add_mentions(store, entries, sources, texts, edges)
    _add_neighbours(store, entries, texts, edges)
    return edges


def possible_titles(text: str) -> set[str]:
    """Every run of words in a text that might be a title: it begins with a capital or a digit.

    >>> sorted(possible_titles("He met Ed Wood there."))[:2]
    ['Ed Wood', 'Ed Wood there']
    """
    words = [(match.start(), match.end()) for match in WORD.finditer(text)]
    found = set()
    for index, (start, _) in enumerate(words):
        if not (text[start].isupper() or text[start].isdigit()):
            continue
        for _, end in words[index : index + _TITLE_WORDS]:
            if "\n" in text[start:end]:
                break
            title = text[start:end]
            if len(title) >= _SHORTEST_TITLE and not is_stop_word(title):
                found.add(title)
    return found


def _add_mentions(
    store: MemoryStore,
    entries: dict[int, Entry],
    sources: dict[int, Document],
    texts: dict[int, str],
    edges: dict[int, list[Edge]],
) -> None:
    wanted = {identity: possible_titles(text) for identity, text in texts.items()}
    known = store.titles(set().union(*wanted.values())) if wanted else {}
    owners = store.entries(set(known.values()))
    for identity, titles in wanted.items():
        document = entries[identity].document
        for title in titles:
            target = known.get(title)
            if target is not None and target in owners and owners[target].document != document:
                edges[identity].append(Edge(EdgeKind.LINK, target, min(1.0, len(title.split()) / 3)))
        for target in _linked_passages(store, sources[document], entries[identity]):
            edges[identity].append(Edge(EdgeKind.LINK, target))


def _linked_passages(store: MemoryStore, document: Document, entry: Entry) -> Iterator[int]:
    """The first passage of each document that the author linked to from here."""
    addresses = [mark.label for mark in document.links if entry.start <= mark.start < entry.end]
    if document.markup == "markdown":
        addresses += _MARKDOWN_LINK.findall(document.text[entry.start : entry.end])
    for address in dict.fromkeys(addresses[:_LOOKED_AT]):
        target = next((found for name in _names_of(store, document, address) if (found := store.entries_of(name))), [])
        if target and target[0].document != entry.document:
            yield target[0].id


def _names_of(store: MemoryStore, document: Document, address: str) -> Iterator[str]:
    """The ids of documents an address may stand for: the one at that place, or of that name among those added with it.

    A folder stands for its index page, as on a server.
    """
    try:
        place = urldefrag(urljoin(document.uri, address)).url if document.uri else ""
        path = unquote(urlsplit(address).path)
    except ValueError:  # what a page writes into a link need not be an address
        return
    for uri in (place, f"{place.rstrip('/')}/index.html"):
        if ":" in uri and (known := store.find(uri=_as_stored(uri))) is not None:
            yield known.id
    if path and "://" not in address:
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(document.id), path))
        for name in (beside, path.strip("/")):
            yield from (name, f"{name}/index.html".lstrip("/"))


def _as_stored(uri: str) -> str:
    """A file's address spelt as the readers spell it, without a query; any other as it is."""
    if not uri.startswith("file:"):
        return uri
    path = unquote(urlsplit(uri).path)
    return PurePosixPath(path).as_uri() if path.startswith("/") else uri


def _add_neighbours(
    store: MemoryStore, entries: dict[int, Entry], texts: dict[int, str], edges: dict[int, list[Edge]]
) -> None:
    ids = list(texts)
    vectors = store.vectors(ids)
    near = store.nearest(np.stack([vectors[identity] for identity in ids]), _LOOKED_AT + 1) if ids else []
    others = store.entries({hit for hits in near for hit, _ in hits} - entries.keys()) | entries
    sources = store.documents({entry.document for entry in others.values()})
    for identity, hits in zip(ids, near, strict=True):
        kept = 0
        for other, close in hits:
            entry = others.get(other)
            if entry is None or other == identity:
                continue
            if close >= _DUPLICATE_COSINE and entry.document in sources:
                text = sources[entry.document].text[entry.start : entry.end]
                alike = estimate_similarity(minhash(texts[identity]), minhash(text))
                if alike >= DUPLICATE_SIMILARITY:
                    edges[identity].append(Edge(EdgeKind.DUPLICATE, other, alike))
                    continue
            if entry.document != entries[identity].document and kept < _NEIGHBOURS and close > 0:
                edges[identity].append(Edge(EdgeKind.NEIGHBOUR, other, close))
                kept += 1

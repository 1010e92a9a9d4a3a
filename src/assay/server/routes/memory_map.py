"""The memory as a flat map: each passage a point, near what it resembles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query

from assay.server.responses import OBJECTS, WHOLE, Json, gives
from assay.server.state import Reader, State, pooled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.memory import Memory

router = APIRouter(tags=["documents"])

_TEXT_SHOWN = 300


@router.get(
    "/v1/memory/map",
    summary="Passages as points on a flat map, with clusters",
    responses=gives(points=OBJECTS, clusters=OBJECTS, total=WHOLE),
)
@pooled
def memory_map(state: State, caller: Reader, points: Annotated[int, Query(ge=1, le=5_000)] = 1_500) -> Json:
    return Json(draw(state.workspaces.memory(caller.workspace), points))


def draw(memory: Memory, most: int) -> dict[str, Any]:
    """At most so many passages, evenly taken, laid out by their two main directions; the same memory, the same map."""
    import numpy as np

    from assay.memory.maintenance import cluster

    held = memory.passage_ids()
    chosen = held[:: max(1, -(-len(held) // most))]  # every nth, so that at most so many are left
    vectors = memory.vectors(chosen)
    ids = sorted(vectors)
    if not ids:
        return {"points": [], "clusters": [], "total": 0}
    places = flatten(np.stack([vectors[identity] for identity in ids]).astype(np.float32))
    assigned, clusters = cluster(vectors)
    points = []
    for identity, (x, y) in zip(ids, places.tolist(), strict=True):
        passage = memory.passage(identity)
        if passage is not None:
            points.append(
                {
                    "x": round(x, 5),
                    "y": round(y, 5),
                    "document": passage.document_id,
                    "title": passage.document.title,
                    "text": passage.text[:_TEXT_SHOWN],
                    "start": passage.start,
                    "end": passage.end,
                    "cluster": assigned[identity],
                }
            )
    at = {identity: places[number] for number, identity in enumerate(ids)}
    shown = []
    for region in clusters:
        members = [at[identity] for identity in ids if assigned[identity] == region.id]
        if members:
            x, y = np.mean(members, axis=0).tolist()
            shown.append({"id": region.id, "size": region.size, "x": round(x, 5), "y": round(y, 5)})
    return {"points": points, "clusters": shown, "total": len(held)}


def flatten(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The two main directions of some vectors, scaled to lie within -1 and 1; signs are fixed: it never flips."""
    import numpy as np

    centred = rows - rows.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    axes = np.zeros((2, rows.shape[1]), dtype=np.float32)
    axes[: min(2, len(directions))] = directions[:2]
    signs = np.sign(axes[np.arange(2), np.abs(axes).argmax(axis=1)])
    flat = centred @ (axes * np.where(signs == 0, 1, signs)[:, None]).T
    placed: NDArray[np.float32] = (flat / (float(np.abs(flat).max()) or 1.0)).astype(np.float32)
    return placed

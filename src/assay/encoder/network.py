"""The network itself: token ids in, logits out, one pair a run.

Two reasons for one pair a run. The quantised products take one range of activations for all they are given at once, so
in a batch a pair's score would depend on its neighbours, and a verdict could flip because another claim was asked in
the same call. And on a CPU one pair after another, spread over threads, is no slower: nothing is spent on padding, and
a pair's activations stay in the cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.encoder.bundle import REMEDY, Bundle
from assay.encoder.pairing import Pair
from assay.errors import ModelError

# What exporters call the same three inputs.
INPUTS = {
    "input_ids": "ids",
    "ids": "ids",
    "attention_mask": "present",
    "present": "present",
    "token_type_ids": "segments",
    "segments": "segments",
}
KINDS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(bool)": np.bool_, "tensor(float)": np.float32}


# onnxruntime's fused residual norm is scalar code: eight times slower than an addition and a norm, a fifth of a run.
SLOW_FUSIONS = ["SkipLayerNormFusion"]


class Network:
    """One onnxruntime session; safe to call from many threads."""

    def __init__(self, bundle: Bundle, threads: int) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # threads work on different pairs, see above
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.threads = max(1, threads)
        self.source = bundle.folder / ("model.onnx" if bundle.format == "onnx-int8" else "graph.onnx")
        try:
            if bundle.format == "packed":
                self._held = _initialisers(bundle, self.threads)
                options.add_external_initializers(list(self._held), list(self._held.values()))
            self._session = onnxruntime.InferenceSession(
                bundle.graph, options, providers=["CPUExecutionProvider"], disabled_optimizers=SLOW_FUSIONS
            )
        except ModelError:
            raise
        except Exception as problem:  # onnxruntime raises classes of its own for each way a graph can be wrong
            raise ModelError(f"onnxruntime refuses {self.source}: {problem}: {REMEDY}") from problem
        self._inputs = self._read_inputs()

    def _read_inputs(self) -> list[tuple[str, str, Any]]:
        inputs = []
        for item in self._session.get_inputs():
            if item.name not in INPUTS or item.type not in KINDS:
                raise ModelError(
                    f"{self.source} wants an input {item.name!r} of {item.type}, which Assay does not know"
                )
            inputs.append((item.name, INPUTS[item.name], KINDS[item.type]))
        return inputs

    def logits(self, pairs: Iterable[Pair]) -> NDArray[np.float64]:
        """One row for each pair; impossible numbers are an error, never a score.

        A pair is read as soon as it comes: while the caller prepares the next one, the first are on their way.
        """
        if self.threads == 1:
            rows = [self._run(pair) for pair in pairs]
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                rows = [coming.result() for coming in [pool.submit(self._run, pair) for pair in pairs]]
        if not rows:
            return np.zeros((0, 3))
        result = np.stack(rows)
        if not np.isfinite(result).all():
            raise ModelError(f"{self.source} gives NaN or infinite logits: {REMEDY}")
        return result

    def _run(self, pair: Pair) -> NDArray[np.float64]:
        parts = {
            "ids": pair.ids,
            "present": np.ones(len(pair.ids), dtype=np.int64),
            "segments": (np.arange(len(pair.ids)) >= pair.claim_at).astype(np.int64),
        }
        feed = {name: parts[part].astype(kind)[None, :] for name, part, kind in self._inputs}
        try:
            out: NDArray[np.float64] = np.asarray(self._session.run(None, feed)[0], dtype=np.float64)
        except Exception as problem:
            raise ModelError(f"onnxruntime fails on {self.source}: {problem}: {REMEDY}") from problem
        if out.shape != (1, 3):
            raise ModelError(f"{self.source} gives an output of shape {out.shape} where (1, 3) is needed")
        return out.reshape(3)


def _initialisers(bundle: Bundle, threads: int) -> Mapping[str, Any]:
    import onnxruntime

    from assay.encoder.packed import unpack_weights

    tensors = unpack_weights(bundle.read_json("weights.json"), bundle.contents["weights.bin"], threads)
    return {name: onnxruntime.OrtValue.ortvalue_from_numpy(tensor) for name, tensor in tensors.items()}

"""Choosing low-bit codes: the scale that loses least, and errors pushed into weights not yet rounded."""

from __future__ import annotations

import numpy as np

from training.pack import Grouped

SHRINKS = np.linspace(0.65, 1.0, 8)  # clipping a group's extremes often costs less than a coarse step for all of it


def best_scales(block: np.ndarray, bits: int) -> np.ndarray:
    """Per row of the block, the scale with the smallest squared error."""
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    # The side with one code more takes the larger extreme: a negative scale turns the row around.
    sign = np.where(block.max(1) > -block.min(1), -1.0, 1.0)
    full = np.maximum(np.abs(block).max(1), 1e-8) / -low * sign
    best = np.full(len(block), np.inf)
    chosen = full.copy()
    for shrink in SHRINKS:
        scale = (full * shrink).astype(np.float16).astype(np.float32)
        scale = np.where(scale == 0, 1e-6, scale)
        error = ((np.clip(np.rint(block / scale[:, None]), low, high) * scale[:, None] - block) ** 2).sum(1)
        better = error < best
        best[better], chosen[better] = error[better], scale[better]
    return chosen


def round_groups(matrix: np.ndarray, bits: int, group: int) -> Grouped:
    """Every group rounded by itself."""
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    rows, columns = matrix.shape
    blocks = matrix.reshape(-1, group).astype(np.float32)
    scales = best_scales(blocks, bits)
    codes = np.clip(np.rint(blocks / scales[:, None]), low, high).astype(np.int8)
    return Grouped(codes.reshape(rows, columns), scales.reshape(rows, columns // group), bits, group)


def round_with_feedback(matrix: np.ndarray, moment: np.ndarray, bits: int, group: int, damp: float = 0.01) -> Grouped:
    """Columns rounded one after another, each error made up for by the columns that follow.

    `moment` is the mean of x xᵀ over inputs x the layer has seen: it says which errors show in the output. The order
    and the Cholesky shortcut are those of optimal brain surgery as used by GPTQ.
    """
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    work = matrix.astype(np.float32).copy()
    rows, columns = work.shape
    hessian = moment.astype(np.float64).copy()
    hessian[np.diag_indices(columns)] += damp * np.mean(np.diag(hessian)) + 1e-8
    inverse = np.linalg.inv(hessian)
    factor = np.linalg.cholesky((inverse + inverse.T) / 2).T.astype(np.float32)
    codes = np.empty((rows, columns), dtype=np.int8)
    scales = np.empty((rows, columns // group), dtype=np.float32)
    for begin in range(0, columns, group):
        end = begin + group
        scale = best_scales(work[:, begin:end], bits)
        scales[:, begin // group] = scale
        errors = np.empty((rows, group), dtype=np.float32)
        for column in range(begin, end):
            code = np.clip(np.rint(work[:, column] / scale), low, high)
            codes[:, column] = code
            error = (work[:, column] - code * scale) / factor[column, column]
            errors[:, column - begin] = error
            if column + 1 < end:
                work[:, column + 1 : end] -= error[:, None] * factor[column, column + 1 : end]
        if end < columns:
            work[:, end:] -= errors @ factor[begin:end, end:]
    return Grouped(codes, scales, bits, group)

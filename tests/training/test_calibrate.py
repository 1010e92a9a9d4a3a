"""Calibration of a bundle: what is fitted holds on the rows it was fitted on, and is read back by the run time."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from assay.encoder.calibration import Calibration
from training.calibrate import FALSE_REFUTED, FALSE_SUPPORTED, Fitted, figures, fit, softmax, write


@pytest.fixture
def rows() -> tuple[np.ndarray, np.ndarray]:
    """Labels drawn from known probabilities, and logits that are three times too sure of them."""
    dice = np.random.default_rng(0)
    logits = dice.normal(0, 2, (4000, 3))
    labels = np.array([dice.choice(3, p=share) for share in softmax(logits + np.array([0.5, -0.5, 0.0]))])
    return 3 * logits, labels


def test_the_temperature_and_the_shifts_are_found(rows: tuple[np.ndarray, np.ndarray]) -> None:
    fitted = fit(*rows)
    assert fitted.temperature == pytest.approx(3.0, rel=0.1)
    assert fitted.shift[0] - fitted.shift[1] == pytest.approx(1.0, abs=0.15)
    assert figures(fitted, *rows)["ece"] < 0.03


def test_the_cut_offs_keep_what_they_promise(rows: tuple[np.ndarray, np.ndarray]) -> None:
    found = figures(fit(*rows), *rows)
    assert found["false_refuted"] <= FALSE_REFUTED
    assert found["false_supported"] <= FALSE_SUPPORTED


def test_the_run_time_reads_what_was_written(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"files": {}}))
    fitted = Fitted((0.5,), (0.1, -0.3, 0.2), 0.8, 0.6)
    write(tmp_path, fitted)
    labels = ("SUPPORTED", "REFUTED", "INSUFFICIENT")
    read = Calibration.parse(json.loads((tmp_path / "calibration.json").read_text()), labels)
    logits = np.array([[1.0, 0.5, -2.0]])
    np.testing.assert_allclose(read.apply(logits), fitted.probabilities(logits), atol=1e-6)
    assert (read.false_refuted, read.false_supported) == (0.8, 0.6)
    assert json.loads((tmp_path / "manifest.json").read_text())["files"]["calibration.json"]["bytes"] > 0


def test_of_two_models_the_better_one_weighs_more_and_both_beat_it(rows: tuple[np.ndarray, np.ndarray]) -> None:
    logits, labels = rows
    dice = np.random.default_rng(1)
    poor, good = (logits / 3 + dice.normal(0, noise, logits.shape) for noise in (2.0, 1.0))
    both = fit(np.stack([poor, good], 1), labels)
    assert both.powers[1] > 2 * both.powers[0] > 0
    alone = figures(fit(good, labels), good, labels)
    assert figures(both, np.stack([poor, good], 1), labels)["likeliest"] > alone["likeliest"]

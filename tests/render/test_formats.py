import json

import pytest
from hypothesis import HealthCheck, given, settings

from assay.cli.check import FORMS
from assay.errors import UsageError
from assay.render import RENDERERS, find_renderer, render
from assay.render.html import render_fragment
from assay.types import Report
from tests.render.strategies import reports

calm = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def test_every_promised_format_is_there() -> None:
    assert set(RENDERERS) == {"rich", "text", "json", "md", "html", "sarif", "github", "junit"} == set(FORMS)


def test_an_unknown_format_names_the_valid_ones() -> None:
    with pytest.raises(UsageError, match="no format 'pdf'; choose one of rich, text, json, md, html, sarif"):
        find_renderer("pdf")


def test_str_and_notebook_use_these_renderings(report: Report) -> None:
    assert str(report) == render(report, "text")
    assert report._repr_html_() == render_fragment(report)


def test_json_is_the_one_shape(report: Report) -> None:
    assert json.loads(render(report, "json")) == json.loads(json.dumps(report.to_dict()))


@calm
@given(reports())
def test_any_report_renders_in_every_format_and_can_be_encoded(report: Report) -> None:
    for name in RENDERERS:
        shown = render(report, name)
        shown.encode("utf-8")
        assert not any(control in shown for control in "\x00\x1b\x07\x7f\x85\r\u202e\u2066"), name
    render_fragment(report).encode("utf-8")


@calm
@given(reports())
def test_json_reads_back_to_the_same_report(report: Report) -> None:
    # Two lone surrogates side by side are one character to every JSON reader, so both sides are read that way.
    assert json.loads(render(report, "json")) == json.loads(json.dumps(report.to_dict()))

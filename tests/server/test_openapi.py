"""The OpenAPI document, and a machine that tries whatever it allows."""

import json
import tempfile

import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from assay.server.app import EXAMPLES, make_app
from assay.server.settings import Settings
from tests.server.loopback import running


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    """The schema of a real server on this machine; the rate is out of the way, and no stream may play for minutes."""
    data = str(tmp_path_factory.mktemp("data"))
    settings = Settings(data=data, judge="lexical", embedder="static", warm=False, rate_per_minute=1_000_000)
    with running(make_app(settings.but(stream_seconds=1.0))) as address:
        yield schemathesis.openapi.from_url(f"{address}/v1/openapi.json")


CHECKS = (not_a_server_error, content_type_conformance, response_schema_conformance)


def explore(api, examples):
    """Tries each operation with so many requests made from its schema."""
    tried = 0
    for found in api.get_all_operations():
        operation = found.ok()

        @given(case=operation.as_strategy())
        @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
        def attempt(case):
            if isinstance(case.body, dict) and ("judge" in case.body or "rows" in case.body):
                case.body["judge"] = "lexical"  # another would load a model, which is not what is tried here
            case.call_and_validate(checks=CHECKS, timeout=120)

        attempt()
        tried += 1
    return tried


def test_no_request_the_document_allows_fails_the_server(api):
    assert explore(api, 3) >= 30


@pytest.mark.slow
def test_no_request_the_document_allows_fails_the_server_however_long_one_tries(api):
    assert explore(api, 60) >= 30


def test_every_request_body_has_an_example_that_works(client):
    document = client.get("/v1/openapi.json").json()
    schemas = document["components"]["schemas"]
    tried = 0
    client.post("/v1/documents", json=schemas["DocumentsIn"]["examples"][0])
    run = client.post("/v1/verify", json=schemas["VerifyIn"]["examples"][0]).json()["run_id"]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            if not body:
                continue
            example = schemas[body["$ref"].rpartition("/")[2]]["examples"][0]
            if "run_id" in example:
                example = example | {"run_id": run}
            got = client.request(method, path, json=example)
            assert got.status_code in (200, 201), (path, got.text)
            tried += 1
    assert tried >= 12


def test_the_document_says_how_keys_are_given_and_every_operation_has_a_summary(client):
    document = client.get("/v1/openapi.json").json()
    assert set(document["components"]["securitySchemes"]) == {"bearer", "header"}
    for methods in document["paths"].values():
        for operation in methods.values():
            assert operation["summary"]
            assert "application/problem+json" in operation["responses"]["422"]["content"]


def test_every_answer_in_json_has_a_named_schema(client):
    document = client.get("/v1/openapi.json").json()
    nameless = [
        (path, method, status)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        for status, answer in operation["responses"].items()
        for media, content in answer.get("content", {}).items()
        if media.endswith("json") and "$ref" not in content["schema"]
    ]
    assert nameless == []


def test_every_answer_has_an_example_and_it_is_of_its_schema(client):
    document = client.get("/v1/openapi.json").json()
    tried = 0
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for status, answer in operation["responses"].items():
                assert answer.get("content"), (method, path, status)
                for media, content in answer["content"].items():
                    assert "example" in content, f"{method} {path} {status} {media}: run python docs/api_examples.py"
                    if "json" in media:
                        schema = content["schema"] | {"components": document["components"]}
                        jsonschema.Draft202012Validator(schema).validate(content["example"])
                    else:
                        assert content["example"].strip()
                    tried += 1
    assert tried >= 500


def test_examples_are_of_operations_that_are_there_and_show_nothing_of_the_machine(client):
    document = client.get("/v1/openapi.json").json()
    known = {one["operationId"] for methods in document["paths"].values() for one in methods.values()}
    text = EXAMPLES.read_text("utf-8")
    assert set(json.loads(text)) == known
    assert tempfile.gettempdir() not in text

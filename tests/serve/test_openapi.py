"""The OpenAPI document is valid, its examples work, and no request that it allows ends in a 500."""

from __future__ import annotations

import re

import httpx
from hypothesis import HealthCheck, given, settings

from tests.cases import examples
from tests.cli.runs import ROOT
from tests.serve.reviewed import Reviewed, reviewed
from tests.serve.servers import served

_QUIET = [*HealthCheck]


def test_document_is_openapi_3_1_with_problems_and_examples(shared) -> None:
    document = shared.get("/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    schemas = document["components"]["schemas"]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], (method, path)
            assert "422" not in operation["responses"] or "HTTPValidationError" not in schemas
            codes = {code for code in operation["responses"] if code >= "400"}
            for code in codes:
                assert list(operation["responses"][code]["content"]) == ["application/problem+json"]
            if "requestBody" in operation and path != "/v1/plans":  # a file of another command
                reference = operation["requestBody"]["content"]["application/json"]["schema"]
                name = reference["$ref"].rpartition("/")[2]
                assert schemas[name]["examples"], name


def test_examples_of_the_document_work(own) -> None:
    """In the order of the document; each is answered with success."""
    document = own.get("/openapi.json").json()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if "requestBody" not in operation or path == "/v1/plans":
                continue
            reference = operation["requestBody"]["content"]["application/json"]["schema"]
            for example in document["components"]["schemas"][reference["$ref"][21:]]["examples"]:
                if path == "/v1/placements":
                    own.put("/v1/state", json={"conditions": {}})
                answer = own.request(method, path, json=example)
                assert answer.status_code < 300, (path, example, answer.text)


#: A request for each answer that is JSON: method, path, body.
ANSWERS = (
    ("post", "/v1/placements", {"nodes": 2, "traffic": "all-to-all", "ranks": True}),
    ("post", "/v1/placements", {"nodes": 1}),
    ("post", "/v1/alerts", {"version": "4", "alerts": []}),
    ("get", "/v1/fabric", None),
    ("get", "/v1/drift", None),
    ("get", "/v1/hosts", None),
    ("get", "/v1/hosts/gpu001", None),
    ("get", "/v1/links", None),
    ("get", "/v1/links?kind=host", None),
    ("put", "/v1/state", {"conditions": {"gpu001": {"health": "down", "reason": "x"}}}),
    ("patch", "/v1/state", {"conditions": {"gpu001:eth1": {"health": "degraded"}}}),
    ("post", "/v1/jobs", {"name": "a", "hosts": "gpu[002-003]", "traffic": "ring:3,tree:1"}),
    ("get", "/v1/state", None),
    ("get", "/v1/hosts?limit=2", None),
    ("get", "/v1/links?kind=host", None),
    ("get", "/v1/jobs", None),
    ("get", "/v1/jobs/a", None),
    ("post", "/v1/placements", {"nodes": 1, "target": 0}),
    ("post", "/v1/whatif", {"fail": ["switch:spine01", "host:gpu001"], "rules": True}),
    ("post", "/v1/whatif", {"drain": "spine01"}),
    ("post", "/v1/whatif", {"all_links": True, "all_switches": True}),
    ("post", "/extender/filter", {"Pod": {}, "NodeNames": ["gpu001", "x"]}),
    (
        "post",
        "/extender/filter",
        {"Pod": {}, "Nodes": {"items": [{"metadata": {"name": "gpu004"}}]}},
    ),
    ("post", "/extender/prioritize", {"Pod": {}, "NodeNames": ["gpu001", "gpu004"]}),
    ("get", "/v1/map", None),
    ("get", "/v1/map?unit=su1&rail=0", None),
    ("get", "/v1/map/values", None),
    ("post", "/v1/map/failing?unit=su1", {"fail": ["spine01", "rack:su2"]}),
    ("get", "/v1/devices/su1-rail0", None),
    ("get", "/v1/devices/gpu002", None),
    ("get", "/v1/devices/su1-rail0/budget?port=Ethernet0", None),
    ("get", "/v1/devices/su1-rail0/cable?port=Ethernet0", None),
    ("post", "/v1/placements", {"nodes": 1, "links": True}),
    ("get", "/healthz", None),
    ("get", "/readyz", None),
)


def test_answers_keep_to_the_document(tmp_path) -> None:
    """Each member of each answer is described, and each described one has its type."""
    with (
        reviewed(tmp_path) as found,
        served(tmp_path / "tenants", ROOT / "inventory" / "tenants") as shared,
    ):
        _keep_to_the_document(found, shared)


def _keep_to_the_document(found: Reviewed, shared: httpx.Client) -> None:
    """Ask a fabric, and one with tenants for what only that has."""
    from jsonschema import Draft202012Validator

    own, sha256 = found.client, found.sha256
    plan = f"/v1/plans/{sha256}"
    answers = (
        *ANSWERS,
        ("post", "/v1/plans", found.plan),
        *(("get", url, None) for url in ("/v1/plans", plan, f"{plan}/approvals")),
        ("get", f"{plan}/devices/su1-rail0", None),
        ("post", f"{plan}/approval", None),
        ("delete", f"{plan}/approval", None),
        ("get", "/v1/runs", None),
        ("get", "/v1/runs/1", None),
        ("post", "/v1/runs/1/stop", None),
        ("get", "/v1/tenants", None),
        ("get", "/v1/tenants/red", None),
    )
    document = own.get("/openapi.json").json()
    closed = _closed(document["components"])
    seen = set()
    for method, url, body in answers:
        asked = shared if url.startswith("/v1/tenants") else own
        answer = asked.request(method, url, json=body)
        path = re.sub("/(devices|hosts|jobs|tenants)/[^/]+", r"/\1/{name}", url.partition("?")[0])
        path = re.sub("/runs/1", "/runs/{run}", path.replace(sha256, "{sha256}"))
        seen.add((method, path))
        described = document["paths"][path][method]["responses"][str(answer.status_code)]
        schema = {"components": closed, **described["content"]["application/json"]["schema"]}
        wrong = [*Draft202012Validator(schema).iter_errors(answer.json())]
        assert not wrong, (url, [(one.json_path, one.message) for one in wrong])
    assert seen == {
        (method, path)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if any(
            "application/json" in one.get("content", {}) for one in operation["responses"].values()
        )
    }


def _closed(value):
    """Return schemas under which no member may be there that they do not describe."""
    if isinstance(value, list):
        return [_closed(one) for one in value]
    if not isinstance(value, dict):
        return value
    inner = {name: _closed(one) for name, one in value.items()}
    return {**inner, "additionalProperties": False} if "properties" in value else inner


def test_errors_keep_to_the_document(shared) -> None:
    from jsonschema import Draft202012Validator

    document = shared.get("/openapi.json").json()
    schema = {"components": document["components"], "$ref": "#/components/schemas/Problem"}
    for answer in (shared.get("/v1/topology/x"), shared.post("/v1/placements", json={"nodes": 0})):
        Draft202012Validator(schema).validate(answer.json())


def _fuzz(client, examples: int) -> None:
    """Send what the document allows and what it does not; only problems may be the answer."""
    import schemathesis
    from schemathesis import GenerationMode

    document = client.get("/openapi.json").json()
    document["paths"].pop("/v1/events")
    schema = schemathesis.openapi.from_dict(document)
    for found in schema.get_all_operations():
        operation = found.ok()

        def check(case) -> None:
            answer = case.call(base_url=str(client.base_url))
            assert answer.status_code != 500, answer.text
            if answer.status_code >= 400:
                assert answer.headers["content-type"][0] == "application/problem+json"

        for mode in GenerationMode:
            if mode is GenerationMode.POSITIVE or operation.method != "get":
                _run(operation.as_strategy(generation_mode=mode), check, examples)


def _run(strategy, check, examples: int) -> None:
    chosen = settings(
        max_examples=examples, deadline=None, suppress_health_check=_QUIET, database=None
    )
    chosen(given(strategy)(check))()


def test_fuzz(tmp_path) -> None:
    with served(tmp_path) as client:
        _fuzz(client, examples(40).max_examples)
        assert client.get("/readyz").status_code == 200

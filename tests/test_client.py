"""The client does what docs/service.md shows, and turns problems into errors."""

from __future__ import annotations

import subprocess
import sys

import httpx
import pytest

from fabric.client import Client, ServiceProblem
from tests.serve.servers import served


@pytest.fixture
def client(tmp_path):
    with served(tmp_path) as http, Client(str(http.base_url)) as one:
        yield one


def test_a_job_from_placement_to_end(client) -> None:
    placement = client.place(2, traffic="all-to-all")
    assert len(placement.hosts) == 2
    assert placement.cost >= placement.bound
    assert placement.data["hosts"] == list(placement.hosts)
    assert client.start_job("train-7", placement.hosts, key="k", traffic="all-to-all") == ()
    client.start_job("train-7", placement.hosts, key="k", traffic="all-to-all")
    assert not set(client.place(2).hosts) & set(placement.hosts)
    client.end_job("train-7")
    assert client.place(4).hosts


def test_state_is_read_and_changed(client) -> None:
    conditions, tag = client.state()
    assert conditions == {}
    client.update_state({"gpu001": {"health": "down"}}, tag)
    assert list(client.state()[0]) == ["gpu001"]
    with pytest.raises(ServiceProblem, match="412") as caught:
        client.update_state({"gpu001": None}, tag)
    assert caught.value.status == 412
    client.update_state({"gpu001": None})
    assert client.state()[0] == {}


def test_problems_name_field_and_fix(client) -> None:
    with pytest.raises(ServiceProblem) as caught:
        client.place(0)
    assert caught.value.status == 422
    assert caught.value.findings[0]["field"] == "nodes"
    assert "nodes: " in str(caught.value)


def test_other_servers_are_errors_too() -> None:
    client = Client("http://127.0.0.1:9", "secret-token")
    client._http = httpx.Client(
        base_url="http://x",
        headers=client._http.headers,
        transport=httpx.MockTransport(lambda request: httpx.Response(502, text=str(request.url))),
    )
    with pytest.raises(ServiceProblem, match="502: Bad Gateway") as caught:
        client.place(1)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("detail", "findings", "text"),
    [
        (
            "the job cannot be placed",
            [("", "70 hosts are needed", "request at most 4")],
            "409: the job cannot be placed\n70 hosts are needed; request at most 4",
        ),
        (
            "there is no job 'a'",
            [("name", "there is no job 'a'", "GET /v1/jobs lists the jobs")],
            "409: name: there is no job 'a'; GET /v1/jobs lists the jobs",
        ),
        (
            "2 fields cannot be used",
            [("a", "wrong", ""), ("b", "wrong", "mend it")],
            "409: 2 fields cannot be used\na: wrong\nb: wrong; mend it",
        ),
        ("Bad Gateway", [], "409: Bad Gateway"),
    ],
    ids=["no-field", "once", "several", "none"],
)
def test_a_problem_says_each_thing_once(detail, findings, text) -> None:
    rows = tuple({"field": one, "message": what, "fix": fix} for one, what, fix in findings)
    assert str(ServiceProblem(409, detail, rows)) == text


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/"])
def test_the_address_may_end_in_v1(end: str) -> None:
    client = Client(f"http://x/fabric{end}")
    assert client._http.build_request("GET", "/v1/state").url == "http://x/fabric/v1/state"


def test_a_missing_httpx_says_what_to_install() -> None:
    code = "import sys; sys.modules['httpx'] = None; import fabric.client"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert "fabric.client needs the package httpx; pip install httpx" in done.stderr

"""The client does what docs/service.md shows, and turns problems into errors."""

from __future__ import annotations

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
    client.start_job("train-7", placement.hosts, key="k", traffic="all-to-all")
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

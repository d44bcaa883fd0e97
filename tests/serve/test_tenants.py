"""Tenants over HTTP: operators see all of them, the token of a tenant its own hosts alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from fabric.core.errors import InputError
from fabric.serve.tokens import Tokens
from tests.cases import each
from tests.serve.servers import served

EXAMPLE = Path(__file__).parents[2] / "inventory" / "tenants"
RED, OPERATOR = "r" * 32, "o" * 32
#: What the token of red may ask: method and path, with a body.
MAY: dict[tuple[str, str], Any] = {
    ("get", "/v1/hosts"): None,
    ("get", "/v1/hosts/{name}"): None,
    ("get", "/v1/tenants/{name}"): None,
    ("post", "/v1/placements"): {"nodes": 2, "ranks": True, "links": True},
}
#: Of others, of the fabric, or of who runs it.
FOREIGN = re.compile(rb"gpu00[24]|blue|Vrf18|50018|su1-rail|su2-rail|spine|secret")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("tenants")
    file = folder / "tokens"
    file.write_text(f"tenant:red {RED}\njobs {OPERATOR}\n")
    file.chmod(0o600)
    with served(folder / "state", EXAMPLE, tokens=Tokens(file)) as made:
        yield made


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def routes(client: httpx.Client) -> list[tuple[str, str]]:
    """Return every method and path of the service."""
    document = client.get("/openapi.json", headers=bearer(OPERATOR)).json()
    return [(method, path) for path, item in document["paths"].items() for method in item]


def test_every_route_but_its_own_is_closed_to_a_tenant(client: httpx.Client) -> None:
    every = routes(client)
    assert set(MAY) <= set(every)
    names = {"name": "gpu001", "sha256": "0" * 64, "run": "1", "job": "x", "form": "slurm"}
    for method, path in every:
        url = re.sub(r"\{(\w+)\}", lambda hit: names.get(hit[1], "x"), path)
        url = url.replace("/v1/tenants/gpu001", "/v1/tenants/red")
        answer = client.request(method, url, headers=bearer(RED), json=MAY.get((method, path)))
        if (method, path) in MAY:
            assert answer.status_code == 200, (method, path, answer.text)
            assert not FOREIGN.search(answer.content), (method, path, answer.text)
        elif path not in ("/healthz", "/readyz", "/") and not path.startswith("/page/"):
            assert answer.status_code == 403, (method, path, answer.text)
    for url in ("/openapi.json", "/metrics", "/v1/tenants", "/v1/tenants/blue", "/v1/fabric"):
        assert client.get(url, headers=bearer(RED)).status_code == 403, url


def test_a_tenant_sees_its_hosts_and_no_others(client: httpx.Client) -> None:
    operator = bearer(OPERATOR)
    state = {"conditions": {"gpu001": {"health": "degraded", "reason": "secret of su1-rail0"}}}
    assert client.put("/v1/state", json=state, headers=operator).status_code == 200
    hosts = client.get("/v1/hosts", headers=bearer(RED)).json()
    assert [host["name"] for host in hosts["items"]] == ["gpu001", "gpu003"]
    assert hosts["total"] == 2
    assert [host["tenants"] for host in hosts["items"]] == [["red"], ["red"]]
    every = client.get("/v1/hosts", headers=operator).json()["items"]
    assert {host["name"]: host["tenants"] for host in every}["gpu004"] == ["blue"]
    assert hosts["items"][0]["condition"]["health"] == "degraded"
    assert "secret" not in json.dumps(hosts)
    for name in ("gpu002", "gpu099"):
        answer = client.get(f"/v1/hosts/{name}", headers=bearer(RED))
        assert (answer.status_code, f"there is no host '{name}'" in answer.text) == (404, True)
    client.put("/v1/state", json={"conditions": {}}, headers=operator)


def test_a_tenant_places_its_jobs_on_its_hosts(client: httpx.Client) -> None:
    def ask(**body: Any) -> httpx.Response:
        return client.post("/v1/placements", json=body, headers=bearer(RED))

    answer = ask(nodes=2, ranks=True).json()
    assert answer["hosts"] == ["gpu001", "gpu003"]
    assert set(answer) == {"tenant", "hosts", "hostlist", "rails", "ranks", "warnings"}
    assert answer["warnings"] == []
    assert "leaf" not in json.dumps(answer["ranks"])
    assert ask(nodes=1, tenant="blue").status_code == 403
    # A host of another tenant and one that does not exist look the same.
    texts = [ask(nodes=1, include=[name]).json()["detail"] for name in ("gpu002", "gpu099")]
    assert texts[0].replace("gpu002", "") == texts[1].replace("gpu099", "")
    taken = ask(nodes=2, exclude="gpu001")
    assert (taken.status_code, taken.json()["detail"]) == (
        409,
        "the tenant has not so many free hosts",
    )


#: Jobs with more hosts than there are for them, by tenant, and what the answer says of it.
NEVER = {
    "red": "tenant red has 2 hosts",
    "blue": "of the 2 hosts of tenant blue only 1 has all NICs that the job uses",
}


@each("tenant", NEVER)
def test_a_job_that_never_fits_is_wrong(client: httpx.Client, tenant: str) -> None:
    """A scheduler that asks again after 409 would do so for ever."""
    for nodes in (3, 5, 1_000_000):  # above its hosts, and above those of the fabric: the same
        asked = [({"tenant": tenant}, OPERATOR), *([({}, RED)] if tenant == "red" else [])]
        for body, token in asked:
            answer = client.post(
                "/v1/placements", json={"nodes": nodes, **body}, headers=bearer(token)
            )
            assert answer.status_code == 422, answer.text
            (finding,) = answer.json()["findings"]
            assert (finding["rule"], finding["field"]) == ("PLC001", "nodes")
            needed = f"{nodes:,} hosts are needed, but {NEVER[tenant]}"
            assert finding["message"] == needed


#: Requests that a tenant cannot have, none of which tells how many hosts others have.
TOO_MUCH: dict[str, dict[str, Any]] = {
    "a range beyond the fabric": {"hosts": "gpu[001-009]"},
    "a range beyond the tenant": {"hosts": "gpu[001-003]"},
    "include": {"nodes": 1, "include": "gpu[001-009]"},
    "exclude": {"nodes": 1, "exclude": "gpu[001-009]"},
    "GPUs": {"nodes": 9, "gpus_per_node": 3},
    "nodes": {"nodes": 9},
}


@each("name", TOO_MUCH)
def test_a_tenant_does_not_learn_the_size_of_the_fabric(client: httpx.Client, name: str) -> None:
    answer = client.post("/v1/placements", json=TOO_MUCH[name], headers=bearer(RED))
    assert answer.status_code in (409, 422), answer.text
    assert "fabric has" not in answer.text
    assert "has 4" not in answer.text
    assert not FOREIGN.search(answer.content), answer.text


def test_a_tenant_is_warned_of_its_hosts_without_the_reason(client: httpx.Client) -> None:
    operator = bearer(OPERATOR)
    client.post("/v1/jobs", json={"name": "secret", "hosts": "gpu001"}, headers=operator)
    answer = client.post("/v1/placements", json={"hosts": "gpu001"}, headers=bearer(RED)).json()
    client.delete("/v1/jobs/secret", headers=operator)
    assert answer["warnings"] == ["gpu001 takes no job now"]


def test_a_job_over_tenants_is_warned_of(client: httpx.Client) -> None:
    """It runs, so that it is noted."""
    operator, said = bearer(OPERATOR), {}
    for hosts in ("gpu[001,003]", "gpu[001-002]", "gpu004"):
        body = {"name": "x", "hosts": hosts}
        answer = client.post("/v1/jobs", json=body, headers=operator)
        assert answer.status_code == 201, answer.text
        said[hosts] = answer.json()["warnings"]
        client.delete("/v1/jobs/x", headers=operator)
    mixed = "the NICs of its hosts are not of the same tenant:"
    assert said == {
        "gpu[001,003]": [],
        "gpu[001-002]": [f"{mixed} gpu001 (red), gpu002 (blue)"],
        "gpu004": [f"{mixed} gpu004 (blue), gpu004 (quarantine)"],
    }


def test_operators_see_every_tenant(client: httpx.Client) -> None:
    content = client.get("/v1/tenants", headers=bearer(OPERATOR)).json()
    assert [(one["name"], one["vrf"], one["hosts"], one["nics"]) for one in content["tenants"]] == [
        ("red", "Vrf17", "gpu[001,003]", 4),
        ("blue", "Vrf18", "gpu[002,004]", 3),
    ]
    assert content["without"] == {"nics": 1, "quarantine": True}
    one = client.get("/v1/tenants/blue", headers=bearer(OPERATOR)).json()
    assert one["vni"] == 50018


LINES = {
    f"tenant:red {RED}": "red",
    f"tenant:red {RED} bob": "",
    f"tenant:red,read {RED}": "",
    f"tenant: {RED}": "",
    "tenant:red short": "",
}


@each("line", LINES)
def test_a_line_of_a_tenant(tmp_path: Path, line: str) -> None:
    file = tmp_path / "tokens"
    file.write_text(line)
    file.chmod(0o600)
    if LINES[line]:
        grant = Tokens(file).grant(f"Bearer {RED}")
        assert grant is not None
        assert (grant.tenant, grant.scopes) == ("red", {"read"})
        return
    with pytest.raises(InputError):
        Tokens(file)

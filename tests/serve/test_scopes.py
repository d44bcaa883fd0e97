"""Scopes of tokens: each change needs one, persons have names, old files mean what they did."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from fabric.change.journal import DELETION, Journal, State
from fabric.change.model import parse_plan
from fabric.core.errors import InputError
from fabric.serve import reviews
from fabric.serve.runs import Runs
from fabric.serve.scopes import SCOPES
from fabric.serve.tokens import Tokens
from fabric.workflow import apply as workflow
from fabric.workflow.history import History
from fabric.workflow.rollback import would_go_back
from tests.cases import each
from tests.serve.reviewed import Reviewed, plan_of, reviewed
from tests.serve.servers import DEMO, copy_of_demo, served

EVERY = {*SCOPES}
TOKEN = "t" * 32
#: Lines of a token file, and what each token may do; None where the line is wrong.
LINES: dict[str, set[str] | None] = {
    f"read {TOKEN}": {"read"},
    f"read {TOKEN} bob": {"read"},
    f"write {TOKEN} bob": EVERY,
    f"write {TOKEN}": {"read", "jobs"},
    f"jobs {TOKEN}": {"read", "jobs"},
    f"read,jobs {TOKEN}": {"read", "jobs"},
    f"plans {TOKEN} ci": {"read", "plans"},
    f"plans,approve {TOKEN} bob": {"read", "plans", "approve"},
    f"approve,stop {TOKEN} bob": {"read", "approve", "stop"},
    f"plans {TOKEN}": None,
    f"approve {TOKEN}": None,
    f"jobs,stop {TOKEN}": None,
    f"admin {TOKEN} bob": None,
    f"read, {TOKEN} bob": None,
    f", {TOKEN} bob": None,
    f"READ {TOKEN}": None,
}


def token_file(folder: Path, *lines: str) -> Path:
    file = folder / "tokens"
    file.write_text("\n".join(lines))
    file.chmod(0o600)
    return file


@each("line", LINES)
def test_a_line_says_what_a_token_may_do(tmp_path: Path, line: str) -> None:
    file, scopes = token_file(tmp_path, line), LINES[line]
    if scopes is None:
        with pytest.raises(InputError) as caught:
            Tokens(file)
        assert TOKEN not in "".join(map(str, caught.value.findings))
        return
    grant = Tokens(file).grant(f"Bearer {TOKEN}")
    assert grant is not None
    assert grant.scopes == scopes


#: A token for each scope, and those of a file of before.
TOKENS = {
    **{scope: f"{scope} {scope:x<32} {scope}er" for scope in SCOPES},
    "old write": f"write {'w' * 32}",
}
#: What each change needs; all other changes need `jobs`.
NEEDED = {
    ("post", "/v1/plans"): "plans",
    ("delete", "/v1/plans/{sha256}"): "plans",
    ("post", "/v1/plans/{sha256}/approval"): "approve",
    ("delete", "/v1/plans/{sha256}/approval"): "approve",
    ("post", "/v1/runs/{run}/stop"): "stop",
    ("post", "/v1/jobs"): "jobs",
    ("delete", "/v1/jobs/{name}"): "jobs",
    ("put", "/v1/state"): "jobs",
    ("patch", "/v1/state"): "jobs",
    ("post", "/v1/alerts"): "jobs",
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("scopes")
    tokens = Tokens(token_file(folder, *TOKENS.values()))
    with served(folder / "state", tokens=tokens, journal=folder / "journal") as made:
        yield made


def test_each_change_needs_its_scope(client: httpx.Client) -> None:
    document = client.get("/openapi.json", headers=bearer("read")).json()
    changes = {
        (method, path)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if method not in {"get", "head"} and "Placement" not in operation["summary"]
    }
    asking = {("post", path) for path in ("/v1/placements", "/v1/whatif", "/v1/generate")}
    asking.add(("post", "/v1/map/failing"))
    asking |= {("post", path) for path in ("/extender/filter", "/extender/prioritize")}
    assert changes - asking == set(NEEDED)
    for (method, path), needed in NEEDED.items():
        url = path.format(sha256="0" * 64, run=1, name="x")
        for name in TOKENS:
            answer = client.request(method, url, headers=bearer(name))
            may = name == needed or (name, needed) == ("old write", "jobs")
            assert (answer.status_code != 403) is may, (method, path, name, answer.text)
            if not may:
                assert f"this needs {needed}" in answer.json()["detail"]


def bearer(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {TOKENS[name].split()[1]}"}


def test_readyz_says_little_without_a_token(client: httpx.Client) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        answer = client.get("/readyz", headers=headers)
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    known = client.get("/readyz", headers=bearer("read")).json()
    assert known["fabric"] == "demo"
    assert set(known) == {"status", "fabric", "inventory", "tokens", "state"}


def test_readyz_says_little_to_a_page_of_elsewhere(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        assert client.get("/readyz").json()["fabric"] == "demo"
        foreign = client.get("/readyz", headers={"Host": "rebound.example.net"})
        assert (foreign.status_code, foreign.json()) == (200, {"status": "ok"})


def test_who_deletes_a_plan_is_in_the_journal(tmp_path: Path) -> None:
    with reviewed(tmp_path, held=False) as site:
        url = f"/v1/plans/{site.sha256}"
        site.ask("dave", "POST", f"{url}/approval")
        assert site.ask("nobody", "DELETE", url).status_code == 403
        assert site.ask("reader", "DELETE", url).status_code == 403
        assert site.client.get(url).status_code == 200
        assert site.ask("bob", "DELETE", url).status_code == 204
        listed = site.client.get("/v1/runs").json()
        assert listed["whole"] is True
        run = listed["runs"][0]
        assert (run["kind"], run["state"]) == (DELETION, "done")
        assert run["reason"] == f"plan {site.sha256[:12]} deleted by bob"
        told = site.client.get(f"/v1/runs/{run['run']}").json()["outcome"]
        assert site.sha256 in told
        assert "made by 'alice', sent by 'bob', approved by dave at " in told
        journal = Journal(site.journal)
        assert journal.unfinished() == 1
        assert workflow.status(site.journal)[-1]["reason"] == run["reason"]
        assert would_go_back(run["run"], site.journal) == []
        assert History(site.journal).report(run["run"]).outcome == f"done: {told}"


def test_a_plan_is_deleted_beside_a_run(tmp_path: Path) -> None:
    with reviewed(tmp_path) as site:
        journal = Journal(site.journal)
        assert site.ask("bob", "DELETE", f"/v1/plans/{site.sha256}").status_code == 204
        journal.record(1, "su1-rail0", State.ROLLED_BACK)
        journal.record(1, "", State.FAILED, "stopped")
        assert journal.verify().whole
        assert [run.kind for run in journal.runs()] == ["apply", DELETION]
        assert site.client.get("/v1/runs/1").json()["state"] == "failed"


def test_a_plan_stays_where_the_journal_cannot_say_who_deletes_it(tmp_path: Path) -> None:
    with reviewed(tmp_path, held=False) as site:
        site.client.service.runs = Runs(DEMO, tmp_path / "tokens")  # a file
        answer = site.ask("bob", "DELETE", f"/v1/plans/{site.sha256}")
        assert answer.status_code == 503
        assert "cannot say that the plan is deleted" in answer.json()["detail"]
        assert site.client.get(f"/v1/plans/{site.sha256}").status_code == 200


def test_an_unknown_sender_or_author_may_be_who_approves(tmp_path: Path) -> None:
    with reviewed(tmp_path, held=False) as site:
        known = site.client.service.reviews
        known.write(site.sha256, known.review(site.sha256).model_copy(update={"by": ""}))
        answer = site.ask("dave", "POST", f"/v1/plans/{site.sha256}/approval")
        assert answer.status_code == 409
        assert "who sent the plan is not known" in answer.json()["detail"]
        plan = plan_of()
        nobody = dataclasses.replace(plan, origin=dataclasses.replace(plan.origin, author=""))
        sent = site.ask("bob", "POST", "/v1/plans", json=json.loads(nobody.to_json()))
        assert sent.status_code == 201
        answer = site.ask("dave", "POST", f"/v1/plans/{nobody.sha256}/approval")
        assert answer.status_code == 409
        assert "does not say who made it" in answer.json()["detail"]


def test_the_number_of_approvals_is_that_of_the_inventory(tmp_path: Path) -> None:
    inventory = copy_of_demo(tmp_path)
    with (inventory / "fabric.yaml").open("a") as file:
        file.write("\nrollout: {approvals: 2}\n")
    plan = plan_of(inventory)
    plan = dataclasses.replace(plan, origin=dataclasses.replace(plan.origin, approvals=0))
    with reviewed(tmp_path, inventory, parse_plan(plan.to_json(), "plan"), held=False) as site:
        assert site.client.get(f"/v1/plans/{site.sha256}").json()["needed"] == 2
        assert site.client.get("/v1/plans").json()["plans"][0]["needed"] == 2


def test_one_person_does_not_fill_the_list_of_plans(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "MOST_OF_A_PERSON", 2)

    def send(site: Reviewed, who: str, revision: str) -> int:
        content = json.loads(plan_of(DEMO, revision=revision).to_json())
        return site.ask(who, "POST", "/v1/plans", json=content).status_code

    with reviewed(tmp_path, held=False) as site:
        assert [send(site, "bob", number) for number in "12"] == [201, 409]
        assert [send(site, "dave", number) for number in "34"] == [201, 201]

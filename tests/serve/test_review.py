"""Plans and runs over HTTP: who may approve what, and what apply gets."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from fabric.change.apply import check_approvals
from fabric.change.journal import Journal, State
from fabric.change.model import parse_plan
from fabric.change.options import Options
from fabric.core.errors import InputError, PlanError, ServiceError
from fabric.intent import contents
from fabric.serve import guard, reviews
from fabric.serve.tokens import Tokens
from fabric.workflow.approvals import approvals_of
from tests.serve.reviewed import TOKENS, Reviewed, plan_of, reviewed
from tests.serve.servers import DEMO
from tests.waiting import until


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reviewed]:
    with reviewed(tmp_path_factory.mktemp("review")) as found:
        yield found


def test_a_plan_has_waves_risk_and_what_causes_each_change(site: Reviewed) -> None:
    plan = site.client.get(f"/v1/plans/{site.sha256}").json()
    assert [one["name"] for one in plan["waves"][0]["devices"]] == ["su1-rail0"]
    assert plan["waves"][0]["devices"][0]["risk"] == "brief loss"
    assert (plan["author"], plan["by"], plan["needed"], plan["stale"]) == ("alice", "bob", 1, "")
    changes = site.client.get(f"/v1/plans/{site.sha256}/devices/su1-rail0").json()
    (cause, *_) = changes["changes"][0]["causes"]
    assert cause["field"] == "fabric.lossless.ecn.kmin_bytes"
    assert "fabric.yaml:" in cause["where"]
    summary = site.client.get("/v1/plans").json()["plans"]
    assert [(one["sha256"], one["devices"]) for one in summary] == [(site.sha256, 1)]


def test_a_plan_has_the_run_that_applies_it(tmp_path: Path) -> None:
    """The newest one; a roll back has the same plan, and applies nothing."""
    with reviewed(tmp_path, held=False) as site:

        def run() -> tuple[object, object]:
            summary = site.client.get("/v1/plans").json()["plans"][0]["run"]
            return summary, site.client.get(f"/v1/plans/{site.sha256}").json()["run"]

        assert run() == ({"run": 1, "state": "interrupted", "rolled_back": ""},) * 2
        journal = Journal(site.journal)
        content = parse_plan(json.dumps(site.plan), "the plan").to_json()
        again = journal.begin("apply", "demo", content)
        journal.record(again, "su1-rail0", State.DONE)
        journal.record(again, "", State.DONE, "")
        back = journal.begin("rollback", "demo", content)
        assert site.client.get(f"/v1/runs/{again}").json()["rollback"]
        journal.record(back, "", State.PENDING, f"rolls back run {again}")
        journal.record(back, "su1-rail0", State.ROLLED_BACK)
        journal.begin("apply", "demo", plan_of(revision="another").to_json())
        assert run() == ({"run": 2, "state": "done", "rolled_back": "rolled back by run 3"},) * 2
        assert (
            site.client.get("/v1/runs").json()["runs"][2]["rolled_back"] == "rolled back by run 3"
        )
        ended = site.client.get(f"/v1/runs/{again}").json()
        assert (ended["rolled_back"], ended["rollback"]) == ("rolled back by run 3", "")
        assert ["outcome", "done, rolled back by run 3"] in ended["facts"]


#: Who asks, and what the answer to an approval is.
WHO = [("bob", 403), ("reader", 403), ("nobody", 403), ("dave", 200)]


@pytest.mark.parametrize(("name", "status"), WHO)
def test_only_others_with_a_name_and_the_scope_approve(
    site: Reviewed, name: str, status: int
) -> None:
    url = f"/v1/plans/{site.sha256}/approval"
    answer = site.ask(name, "POST", url)
    assert answer.status_code == status, answer.text
    if status == 200:
        assert answer.json()["counting"] == [name]
        site.ask(name, "DELETE", url)
    assert site.client.get(f"/v1/plans/{site.sha256}").json()["counting"] == []


def test_a_page_of_another_site_approves_nothing(site: Reviewed) -> None:
    headers = {"Sec-Fetch-Site": "cross-site"}
    answer = site.client.post(f"/v1/plans/{site.sha256}/approval", headers=headers)
    assert answer.status_code == 403
    assert site.client.get(f"/v1/plans/{site.sha256}").json()["counting"] == []


def test_apply_asks_the_service(site: Reviewed, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, url = plan_of(), str(site.client.base_url)
    plan = parse_plan(json.dumps(site.plan), "plan")
    monkeypatch.setenv("ROCEFAB_TOKEN", TOKENS["reader"])
    with pytest.raises(PlanError, match="given: 0"):
        check_approvals(plan, Options(approvals=approvals_of(plan, url)))
    site.ask("dave", "POST", f"/v1/plans/{site.sha256}/approval")
    check_approvals(plan, Options(approvals=approvals_of(plan, url)))
    site.ask("dave", "DELETE", f"/v1/plans/{site.sha256}/approval")
    with pytest.raises(PlanError, match="given: 0"):
        check_approvals(plan, Options(approvals=approvals_of(plan, url)))
    other = dataclasses.replace(plan, unchanged=("su1-rail1",))
    with pytest.raises(ServiceError, match="does not have this plan"):
        approvals_of(other, url)
    monkeypatch.setenv("ROCEFAB_TOKEN", "wrong")
    with pytest.raises(ServiceError, match="wants a valid token"):
        approvals_of(plan, url)
    with pytest.raises(ServiceError, match="cannot be read"):
        approvals_of(plan, "http://127.0.0.1:1")


def edited(plan: dict) -> str:
    return json.dumps({**plan, "unchanged": ["su1-rail1"]})


WRONG = {
    "edited": (lambda site: edited(site.plan), 422, "was modified"),
    "no plan": (lambda _: "{}", 422, "is not a plan file"),
    "no JSON": (lambda _: "\xff", 422, "is not a plan file"),
    "old": (lambda _: plan_of(made=1.0).to_json(), 409, "h old"),
    "of the future": (lambda _: plan_of(made=9e9).to_json(), 409, "in the future"),
    "another inventory": (lambda _: plan_of(sha256="0" * 64).to_json(), 409, "was changed after"),
    "another fabric": (
        lambda _: dataclasses.replace(plan_of(), fabric="other").to_json(),
        409,
        "of the fabric 'other'",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_apply_would_reject_is_rejected(site: Reviewed, name: str) -> None:
    content, status, words = WRONG[name]
    headers = {"Content-Type": "application/json"}
    answer = site.client.post("/v1/plans", content=content(site), headers=headers)
    assert answer.status_code == status
    assert words in answer.json()["detail"]
    assert len(site.client.get("/v1/plans").json()["plans"]) == 1


def test_a_plan_is_bounded(site: Reviewed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "PLAN_BYTES", 2 << 20)
    headers = {"Content-Type": "application/json"}
    for size, status in ((2 << 20) + 1, 413), ((1 << 20) + 1, 422):
        answer = site.client.post("/v1/plans", content=b" " * size, headers=headers)
        assert answer.status_code == status
    assert site.client.post("/v1/jobs", content=b" " * size, headers=headers).status_code == 413


@pytest.mark.parametrize("name", ["x", "0" * 64, "..%2f..%2ftokens"])
def test_an_unknown_plan(site: Reviewed, name: str) -> None:
    assert site.client.get(f"/v1/plans/{name}").status_code == 404


def test_a_run_is_shown_and_stopped_as_it_goes(tmp_path: Path) -> None:
    with reviewed(tmp_path) as site:
        run = site.client.get("/v1/runs/1")
        assert run.json()["state"] == "in progress"
        assert run.json()["waves"][0]["devices"][0]["state"] == "committing"
        assert run.json()["rollback"] == f"rocefab rollback 1 --state {site.journal}"
        assert [one["text"] for one in run.json()["gates"]] == ["ping: passed"]
        tag = {"If-None-Match": run.headers["ETag"]}
        assert site.client.get("/v1/runs/1", headers=tag).status_code == 304
        assert site.client.get("/v1/runs/7").status_code == 404
        journal = Journal(site.journal)
        stopped = site.ask("dave", "POST", "/v1/runs/1/stop")
        assert stopped.status_code == 202
        asked = journal.stops.asked(1)
        assert asked
        assert asked.by == "dave"
        assert site.ask("reader", "POST", "/v1/runs/1/stop").status_code == 403
        with site.client.stream("GET", "/v1/events") as events:
            journal.record(1, "su1-rail0", State.ROLLED_BACK)
            lines = events.iter_lines()
            until(lambda: next(lines) == "event: run", "the change is sent")
        journal.record(1, "", State.FAILED, "<b>")
        ended = site.client.get("/v1/runs/1").json()
        assert (ended["state"], ended["outcome"]) == ("failed", "<b>")
        assert ended["rollback"] == ""  # no device has its change
        assert site.ask("dave", "POST", "/v1/runs/1/stop").status_code == 409
        listed = site.client.get("/v1/runs").json()
        assert listed["whole"] is True
        assert listed["runs"][0]["state"] == "failed"


def test_a_run_without_a_process_is_interrupted_and_takes_no_stop(tmp_path: Path) -> None:
    with reviewed(tmp_path, held=False) as site:
        assert site.client.get("/v1/runs").json()["runs"][0]["state"] == "interrupted"
        run = site.client.get("/v1/runs/1").json()
        assert run["state"] == "interrupted"
        assert ["outcome", "interrupted"] in run["facts"]
        rejected = site.ask("dave", "POST", "/v1/runs/1/stop")
        assert rejected.status_code == 409
        assert "run 1 was interrupted" in rejected.text
        assert Journal(site.journal).stops.asked(1) is None


def test_the_plan_and_its_approvals_outlive_the_service(tmp_path: Path) -> None:
    with reviewed(tmp_path) as site:
        site.ask("dave", "POST", f"/v1/plans/{site.sha256}/approval")
        assert site.client.delete("/v1/plans/" + "0" * 64).status_code == 404
        service = site.client.service
        again = type(service.reviews)(tmp_path / "state" / "plans")
        assert [one.name for one in again.review(site.sha256).approvals.approvals] == ["dave"]
        (tmp_path / "state" / "plans" / f"{site.sha256}.review").write_text("{")
        assert site.client.get(f"/v1/plans/{site.sha256}/approvals").status_code == 409


#: Files of the state folder that somebody changed, and what they hold then.
DAMAGE = {
    "review": ("{}.review", "{"),
    "plan": ("{}.json", "{"),
    "another plan": ("{}.json", plan_of(revision="other").to_json()),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_plan_is_not_approved_and_can_be_removed(tmp_path: Path, name: str) -> None:
    with reviewed(tmp_path) as site:
        file, content = DAMAGE[name]
        (tmp_path / "state" / "plans" / file.format(site.sha256)).write_text(content)
        service, url = site.client.service, f"/v1/plans/{site.sha256}"
        service.reviews = type(service.reviews)(tmp_path / "state" / "plans")
        for answer in (
            site.client.get("/v1/plans"),
            site.client.get(url),
            site.ask("dave", "POST", f"{url}/approval"),
        ):
            assert answer.status_code == 409
            assert "DELETE it" in answer.text
            assert site.sha256 in answer.text
        assert site.client.delete(url).status_code == 204
        assert site.client.get("/v1/plans").json()["plans"] == []


def test_polling_parses_no_plan_and_reads_no_inventory_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with reviewed(tmp_path) as site:
        for number in range(6):
            content = plan_of(revision=str(number)).to_json()
            headers = {"Content-Type": "application/json"}
            assert site.client.post("/v1/plans", content=content, headers=headers).is_success
        first = site.client.get("/v1/plans").json()

        def fail(*_: object) -> None:
            raise AssertionError("it was read again")

        monkeypatch.setattr(reviews, "parse_plan", fail)
        monkeypatch.setattr(contents, "inventory_hash", fail)
        assert site.client.get("/v1/plans").json() == first
        assert len(first["plans"]) == 7


def test_a_changed_inventory_makes_a_plan_stale(tmp_path: Path) -> None:
    folder = tmp_path / "inventory"
    shutil.copytree(DEMO, folder)
    with reviewed(tmp_path, plan=plan_of(folder), inventory=folder) as site:
        assert site.client.get("/v1/plans").json()["plans"][0]["stale"] == ""
        with (folder / "fabric.yaml").open("a") as file:
            file.write("# another\n")
        assert "was changed" in site.client.get("/v1/plans").json()["plans"][0]["stale"]
        answer = site.ask("dave", "POST", f"/v1/plans/{site.sha256}/approval")
        assert (answer.status_code, "was changed" in answer.text) == (409, True)


LINES = {
    "write": False,
    f"write {TOKENS['bob']} bob more": False,
    f"admin {TOKENS['bob']} bob": False,
    f"write {TOKENS['bob']} böb": False,
    f"write {TOKENS['bob']} bob": True,
    f"read {TOKENS['bob']}": True,
}


@pytest.mark.parametrize("line", LINES)
def test_lines_of_a_token_file(tmp_path: Path, line: str) -> None:
    file = tmp_path / "tokens"
    file.write_text(line)
    file.chmod(0o600)
    if LINES[line]:
        grant = Tokens(file).grant(f"Bearer {TOKENS['bob']}")
        assert grant
        assert grant.name == ("bob" if line.endswith("bob") else "")
        return
    with pytest.raises(InputError):
        Tokens(file)

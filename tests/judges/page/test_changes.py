"""Change review in a real browser: a plan is approved by keyboard, its run is seen and stopped."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabric.change.model import parse_plan
from fabric.change.options import Options
from fabric.workflow import apply as applying
from fabric.workflow.approvals import approvals_of
from fabric.workflow.plan import plan
from fabric.workflow.rollback import rollback
from tests.change import labs
from tests.judges.page.browser import (
    BROKEN_WORDS,
    RAW_NAMES,
    errors,
    every,
    heading,
    keys,
    one,
    scheme,
    size,
    tab_to,
    text,
    violations,
)
from tests.serve.reviewed import TOKENS, reviewed, token_file
from tests.serve.servers import served
from tests.waiting import LONGEST_S, until

OPTIONS = Options(timer_s=200, verify_s=40.0)
#: Two waves soak after the first one: time to see it confirmed and to stop the run.
ROLLOUT = "rollout: {approvals: 1, soak_s: 25}\n"


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    size(browser, 1280)
    scheme(browser, "light")
    browser.get("about:blank")
    browser.get_log("browser")
    yield browser
    assert browser.execute_script("return window.hit ?? 0") == 0
    lines = [line for line in errors(browser) if "401 (Unauthorized)" not in line]
    assert lines == []


def log_in(page: Any, url: object, view: str, name: str = "dave") -> None:
    """Open a view with the token of a person."""
    root = str(url).rstrip("/")
    page.get(f"{root}/healthz")
    page.execute_script("sessionStorage.clear()")  # the token of an earlier test
    page.get(f"{root}/{view}")
    until(lambda: every(page, "#token"), "the form is there")
    one(page, "#token").send_keys(f"{TOKENS[name]}\n")
    until(lambda: every(page, "main h1") and "Log in" not in heading(page), "the view is there")


def press(page: Any, label: str) -> None:
    """Go to something by Tab, and press Enter on it."""
    from selenium.webdriver.common.keys import Keys

    page.execute_script("document.getElementById('main').focus()")
    tab_to(page, label)
    keys(page, Keys.ENTER)


def picture(page: Any, name: str) -> None:
    """Keep a screenshot, where somebody wants to see it."""
    if folder := os.environ.get("ROCEFAB_PICTURES"):
        page.save_screenshot(str(Path(folder) / f"{name}.png"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with reviewed(tmp_path_factory.mktemp("changes")) as found:
        yield found


@pytest.mark.parametrize("dark", ["light", "dark"])
@pytest.mark.parametrize("view", ["#/changes", "#/plan/{}", "#/run/1", "#/run/9"])
def test_axe_has_no_serious_finding_and_it_fits_a_phone(
    page: Any, site: Any, axe: str, view: str, dark: str
) -> None:
    scheme(page, dark)
    log_in(page, site.client.base_url, view.format(site.sha256))
    until(lambda: "Loading" not in text(page), "all is there")
    for fold in every(page, "details.change > summary"):
        fold.click()
        until(lambda: every(page, "details.change table"), "the changes are there")
    assert violations(page, axe) == []
    picture(page, f"{view[2:5]}{view[-1]}-{dark}".replace("}", ""))
    size(page, 390, 844)
    wide = (
        "return [...document.querySelectorAll('.rows')]"
        ".filter((at) => at.scrollWidth > at.clientWidth)"
    )
    assert page.execute_script(wide) == []
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390
    assert page.execute_script(BROKEN_WORDS) == []
    assert page.execute_script(RAW_NAMES) == []
    picture(page, f"{view[2:5]}{view[-1]}-{dark}-phone".replace("}", ""))


def test_a_plan_is_approved_and_withdrawn_by_keyboard(page: Any, site: Any) -> None:
    log_in(page, site.client.base_url, "#/changes")
    until(lambda: site.sha256[:12] in text(page), "the plan is listed")
    press(page, site.sha256[:12])
    until(lambda: every(page, "button.main"), "the plan is there")
    press(page, "su1-rail0")
    until(lambda: "fabric.lossless.ecn.kmin_bytes = 150000" in text(page), "the cause is there")
    assert "fabric.yaml:" in text(page)
    assert every(page, "main img, main script") == []
    assert every(page, 'section.card a[href="#/run/1"]'), "its run is named"
    assert "may be applied" not in text(page)
    press(page, "What is trusted")
    until(lambda: "Approvals are not signed" in text(page), "it says what an approval rests on")
    press(page, "Approve as dave")
    until(lambda: "Approvals: 1 of 1" in text(page), "it is approved")
    assert site.client.get(f"/v1/plans/{site.sha256}").json()["counting"] == ["dave"]
    press(page, "Withdraw")
    until(lambda: "Approvals: 0 of 1" in text(page), "it is withdrawn")


@pytest.mark.parametrize(("name", "words"), [("bob", "or sent it"), ("reader", "scope read")])
def test_who_may_not_approve_is_told_why(page: Any, site: Any, name: str, words: str) -> None:
    log_in(page, site.client.base_url, f"#/plan/{site.sha256}", name)
    until(lambda: "Approvals" in text(page), "the plan is there")
    assert words in text(page)
    assert every(page, "button.main") == []


def test_a_plan_file_is_sent(page: Any, site: Any, tmp_path: Path) -> None:
    log_in(page, site.client.base_url, "#/changes")
    file = tmp_path / "plan.json"
    file.write_text("{}")
    one(page, "#plan-file").send_keys(str(file))
    one(page, "form.ask button").click()
    until(lambda: "is not a plan file" in text(page), "it is rejected")
    page.get_log("browser")  # 422 is what was asked for


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, Path, Any]]:
    with labs.running_lab(tmp_path, monkeypatch, labs.INVENTORY + ROLLOUT) as (_, project, known):
        made = plan(project, known, labs.ALL, "rail", labs.silent, rollout=True)
        assert made.origin
        origin = replace(made.origin, author="alice")
        text_of_plan = replace(made, origin=origin).to_json()
        yield parse_plan(text_of_plan, "plan"), known, text_of_plan


def test_a_run_is_approved_seen_and_stopped(
    page: Any, lab: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, known, content = lab
    state, ended = tmp_path / "journal", []
    tokens = token_file(tmp_path)
    with served(
        tmp_path / "state", tmp_path / "inventory", tokens=tokens, journal=state, watch_s=0.2
    ) as client:
        url = str(client.base_url)
        headers = {"Authorization": f"Bearer {TOKENS['bob']}", "Content-Type": "application/json"}
        answer = client.post("/v1/plans", content=content, headers=headers)
        assert answer.status_code == 201, answer.text
        monkeypatch.setenv("ROCEFAB_TOKEN", TOKENS["bob"])

        def apply() -> None:
            options = replace(OPTIONS, approvals=approvals_of(made, url))
            try:
                applying.apply(made, state, known, options, labs.silent)
            except BaseException as error:  # noqa: BLE001 - looked at below
                ended.append(error)

        apply()
        assert "approvals of the plan: 1; given: 0" in str(ended.pop())
        log_in(page, url, f"#/plan/{made.sha256}")
        press(page, "Approve as dave")
        until(lambda: "Approvals: 1 of 1" in text(page), "it is approved")
        working = threading.Thread(target=apply)
        working.start()
        page.execute_script("location.hash = '#/changes'")
        until(lambda: every(page, 'a[href="#/run/1"]'), "the run is listed")
        press(page, "Run 1")
        until(lambda: heading(page) == "Run 1", "the run is there")
        until(lambda: "verified" in text(page), "the first wave soaks")
        picture(page, "lab-soak")
        until(lambda: "Wave 1, spine: 1 of 1 done" in text(page), "the first wave is confirmed")
        until(lambda: "verified" in text(page), "the second wave soaks: it can be rolled back")
        press(page, "Stop this run")
        until(lambda: "Stop was requested" in text(page), "it is asked for")
        working.join(LONGEST_S)
        assert isinstance(ended.pop(), KeyboardInterrupt)
        until(lambda: "stop requested by dave" in text(page), "the journal says who")
        until(lambda: "rolled-back" in text(page), "the wave in progress is rolled back")
        assert "Wave 1, spine: 1 of 1 done" in text(page)
        assert "approved by dave at " in text(page)
        assert f"rocefab rollback 1 --state {state} --commit" in text(page)
        picture(page, "lab-stopped")
        rollback(1, state, known, labs.silent)
        page.execute_script("location.hash = '#/changes'")
        until(lambda: every(page, 'a[href="#/run/2"]'), "the roll back is listed")
        press(page, "Run 2")
        until(lambda: heading(page) == "Run 2", "the roll back is there")
        until(lambda: "Wave 1, spine: 1 of 1 rolled back" in text(page), "the first wave is too")
        picture(page, "lab-rolled-back")
        page.execute_script("location.hash = '#/run/1'")
        until(lambda: "failed, rolled back by run 2" in text(page), "run 1 says so")
        page.get("about:blank")

"""Tokens, and a service that stops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fabric.serve.tokens import Tokens
from tests.judges.page.browser import errors, every, one, sound, text
from tests.serve.servers import served
from tests.waiting import until

TOKEN = "0123456789abcdef0123456789abcdef"


def test_a_token_is_asked_for_and_kept_for_the_tab(browser: Any, axe: str, tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"read {TOKEN}\n")
    file.chmod(0o600)
    with served(tmp_path / "state", tokens=Tokens(file)) as client:
        browser.get("about:blank")
        browser.get(str(client.base_url))
        until(lambda: every(browser, "#token"), "the form is there")
        one(browser, "#token").send_keys("wrong\n")
        until(lambda: "not valid" in text(browser), "the token is refused")
        sound(browser, axe)
        one(browser, "#token").send_keys(f"{TOKEN}\n")
        until(lambda: every(browser, "g.box"), "the map is there")
        kept = browser.execute_script("return [document.cookie, localStorage.length]")
        assert kept == ["", 0]
        assert TOKEN not in browser.current_url
        browser.refresh()
        until(lambda: every(browser, "g.box"), "the map is there again")
        one(browser, "#logout").click()
        until(lambda: every(browser, "#token"), "the form is there again")
        browser.get("about:blank")
    only = [line for line in errors(browser) if "401 (Unauthorized)" not in line]
    assert only == []


def test_a_service_that_stops_is_said_and_comes_back(page: Any, tmp_path: Path) -> None:
    with served(tmp_path / "state") as client:
        page.get(str(client.base_url))
        until(lambda: every(page, "g.box"), "the map is there")
    until(lambda: every(page, ".notes .problem"), "it is said", 20)
    assert every(page, "g.box")
    page.get("about:blank")
    page.get_log("browser")

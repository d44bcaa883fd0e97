"""How long a browser takes to show the map: 512 GPUs, 4,096 and 16,384 hosts of 8 NICs.

The times of paints are those of Chromium, since the address was opened: ``first-contentful-paint``
(W3C Paint Timing), and the frame after the one in which the first box is in the page.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.bench.test_designs import document, three_tiers, written
from tests.cli.runs import ROOT, clean_environment
from tests.judges.conftest import browser  # noqa: F401 - a fixture
from tests.waiting import until

pytestmark = pytest.mark.benchmark


@contextlib.contextmanager
def _server(folder: Path, inventory: Path, models: Path | str = ""):
    error = folder / "err"
    words = [str(inventory), str(folder / "state"), str(models)]
    with (
        error.open("wb") as stderr,
        subprocess.Popen(
            [sys.executable, "-m", "tests.bench.page_worker", *words],
            cwd=ROOT,
            env=clean_environment(),
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        ) as child,
    ):
        try:
            until(lambda: child.poll() is not None or "port " in error.read_text(), "it serves")
            found = re.search(r"port (\d+), (.*)", error.read_text())
            assert found, error.read_text()
            memory = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{child.pid}/status").read_text())
            print(f"\n{inventory.name}: {found[2]}, {int(memory[1]) / 1024:.0f} MiB")
            yield f"http://127.0.0.1:{found[1]}"
        finally:
            child.terminate()


#: Notes when the first box has been painted; run before the scripts of a page.
_PAINTED = """
const seen = new MutationObserver(() => {
  if (!document.querySelector('g.box')) return;
  seen.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.painted = performance.now(); }));
});
seen.observe(document, {childList: true, subtree: true});
"""


def _first_paints(browser: Any, url: str, wanted_s: float) -> None:  # noqa: F811
    """Print when the page, and the map in it, are first painted, and what is wanted."""
    command = "Page.addScriptToEvaluateOnNewDocument"
    added = browser.execute_cdp_cmd(command, {"source": _PAINTED})
    browser.get("about:blank")
    browser.get(f"{url}/#/map")
    until(lambda: browser.execute_script("return window.painted ?? null"), "the map is painted")
    page_ms, map_ms = browser.execute_script(
        "return [performance.getEntriesByName('first-contentful-paint')[0].startTime, painted]"
    )
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
    words = f"page {page_ms / 1000:.2f} s, map {map_ms / 1000:.2f} s, wanted {wanted_s:.0f} s"
    print(f"  {'first paints':<24}{words}")


def _view(title: str, browser: Any, url: str) -> None:  # noqa: F811
    browser.get("about:blank")
    began_s = time.perf_counter()
    browser.get(url)
    until(
        lambda: browser.execute_script("return document.querySelectorAll('g.box').length"),
        "the map is there",
    )
    took_s = time.perf_counter() - began_s
    counts = browser.execute_script(
        "return ['g.box', 'g.line', '*'].map((one) => document.querySelectorAll(one).length)"
    )
    boxes, lines, every = counts
    print(f"  {title:<24}{took_s:>6.2f} s, {boxes} boxes, {lines} lines, {every} elements")


def _views(browser: Any, url: str, unit: str, device: str) -> None:  # noqa: F811
    _view("first view", browser, f"{url}/#/map")
    _view("again", browser, f"{url}/#/map")
    _view("a unit", browser, f"{url}/#/map?unit={unit}")
    began_s = time.perf_counter()
    browser.get(f"{url}/#/device/{device}")
    until(lambda: "Planned" in browser.page_source, "the device is there")
    print(f"  {'a device':<24}{time.perf_counter() - began_s:>6.2f} s")


def test_512_gpus(browser: Any, tmp_path: Path) -> None:  # noqa: F811
    with _server(tmp_path, ROOT / "inventory" / "rail-512") as url:
        _first_paints(browser, url, 1)
        _views(browser, url, "su1", "su1-rail0")


def test_4096_hosts(browser: Any, tmp_path: Path) -> None:  # noqa: F811
    data = document(units=document()["units"][:16])
    with _server(tmp_path, *written(tmp_path, data)) as url:
        _first_paints(browser, url, 3)
        _views(browser, url, "su01", "su01-rail0")


@pytest.mark.parametrize("tiers", [2, 3])
def test_16384_hosts(browser: Any, tmp_path: Path, tiers: int) -> None:  # noqa: F811
    data = document() if tiers == 2 else three_tiers()
    with _server(tmp_path, *written(tmp_path, data)) as url:
        _views(browser, url, "su01", "su01-rail0")

"""The docs site in a real browser: wide and narrow, light and dark, and its search."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.docs.site import build
from tests.judges.page.browser import every, one, scheme, size, violations
from tests.judges.page.test_changes import picture
from tests.waiting import until

PAGES = ("index.html", "tutorials/lossless.html", "designs.html", "adr/0001-rooms.html", "404.html")
WIDTHS = (1280, 390)
#: What reaches beyond the window and cannot be scrolled into it.
TOO_WIDE = """
const beyond = document.documentElement.scrollWidth - document.documentElement.clientWidth;
return beyond;
"""
OUTSIDE = """
return performance.getEntriesByType('resource').map((one) => one.name)
  .filter((name) => !name.startsWith(location.origin));
"""
#: Copy buttons that a line of their block reaches, and how many buttons there are.
COVERED = """
const buttons = [...document.querySelectorAll('.highlight button')];
const covered = buttons.filter((one) =>
  one.closest('.highlight').querySelector('code').getBoundingClientRect().right
    > one.getBoundingClientRect().left);
return [buttons.length, covered.length];
"""
#: Ground, frame and corner of each plot.
CARDS = """
return [...document.querySelectorAll('article img[src$=".svg"]')].map((one) => {
  const style = getComputedStyle(one);
  return [style.backgroundColor, style.borderTopWidth, style.borderTopLeftRadius];
});
"""
RESULTS = "return [...document.querySelectorAll('.md-search-result__link')].map((one) => one.href)"


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a line for each."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of the site on a server of this process."""
    folder = tmp_path_factory.mktemp("site") / "html"
    build(folder)
    handler = functools.partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def visit(browser: Any, address: str, width: int, colours: str = "light") -> None:
    """Open a page as somebody who was never there: each page stores its colours.

    A page that is open may store them at any time, so none is open when they are removed.
    """
    browser.get("about:blank")
    stored = {"origin": address, "storageTypes": "local_storage"}
    browser.execute_cdp_cmd("Storage.clearDataForOrigin", stored)
    size(browser, width)
    scheme(browser, colours)
    browser.get_log("browser")
    browser.get(address)
    until(lambda: every(browser, "h1"), "the page is there")


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_page(browser: Any, site: str, axe: str, name: str, width: int, colours: str) -> None:
    visit(browser, f"{site}{name}", width, colours)
    wanted = "slate" if colours == "dark" else "default"
    palette = "return document.body.getAttribute('data-md-color-scheme')"
    until(lambda: browser.execute_script(palette) == wanted, "the colours are there")
    picture(browser, f"{name.replace('/', '-')}-{width}-{colours}")
    assert browser.execute_script(TOO_WIDE) <= 0
    assert violations(browser, axe) == []
    assert browser.execute_script(OUTSIDE) == []
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("width", WIDTHS)
def test_search(browser: Any, site: str, width: int) -> None:
    visit(browser, site, width)
    browser.execute_script("document.querySelector('#__search').click()")
    until(lambda: one(browser, ".md-search__input").is_displayed(), "the box is there")
    one(browser, ".md-search__input").send_keys("headroom")
    until(lambda: browser.execute_script(RESULTS), "something was found")
    assert any("lossless.html" in link for link in browser.execute_script(RESULTS))


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_of_code_is_under_its_copy_button(browser: Any, site: str, width: int) -> None:
    visit(browser, f"{site}tutorials/lossless.html", width)
    until(lambda: browser.execute_script(COVERED)[0], "the buttons are there")
    buttons, covered = browser.execute_script(COVERED)
    assert buttons >= 3
    assert covered == 0


@pytest.mark.parametrize("name", ["tutorials/lossless.html", "draw.html"])
def test_plots_are_cards_on_dark_pages(browser: Any, site: str, name: str) -> None:
    visit(browser, f"{site}{name}", WIDTHS[0], "dark")
    cards = browser.execute_script(CARDS)
    assert cards
    for ground, frame, corner in cards:
        assert ground == "rgb(255, 255, 255)"
        assert "0px" not in (frame, corner)

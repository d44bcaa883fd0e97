"""What tests of the page do in a browser, and what they look at."""

from __future__ import annotations

from typing import Any

from tests.waiting import until

MARKUP = "<img src=x onerror=window.hit=1>"
#: Words of the page, up to what fits on a line of a phone, that stand on more than one line.
BROKEN_WORDS = r"""
const broken = [];
const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
  if (node.parentElement.closest("svg, .hidden, noscript, script, datalist, option")) continue;
  for (const { 0: word, index } of node.data.matchAll(/[\p{L}\p{N}]+/gu)) {
    const range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => top);
    if (word.length <= 30 && Math.max(...tops) - Math.min(...tops) > 5) broken.push(word);
  }
}
return broken;
"""
#: Names of fields in what the page says itself; what devices and inventories have stays as it is.
RAW_NAMES = r"""
const own = "h1, h2, h3, th, dt, dd, label, figcaption, summary, .badge, .problem, .warning, .key";
const data = "code, pre, a, .seen";
return [...document.querySelectorAll(own)].filter((at) => !at.closest(data)).flatMap((at) =>
  [...at.innerText.matchAll(/\b[a-z]+_[a-z_]+\b/g)].map(([word]) => word));
"""


def errors(browser: Any) -> list[str]:
    """Return errors of the console, but for answers that a test asks for."""
    lines = [entry["message"] for entry in browser.get_log("browser")]
    asked = ("404 (Not Found)", "409 (Conflict)", "422 (Unprocessable Entity)")
    return [line for line in lines if not any(one in line for one in asked)]


def size(browser: Any, width: int, height: int = 900) -> None:
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def scheme(browser: Any, name: str) -> None:
    media = {"features": [{"name": "prefers-color-scheme", "value": name}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)


def shown(browser: Any, site: Any, view: str) -> None:
    """Open a view, and wait until it has a heading and asks for nothing more."""
    browser.get("about:blank")
    browser.get(f"{str(site.base_url).rstrip('/')}/{view}")
    until(lambda: every(browser, "main h1"), "the view is there")
    if "map" in view and "nothing" not in view:
        until(lambda: "devices read" in text(browser), "the figures are there")


def every(browser: Any, selector: str) -> list[Any]:
    return browser.find_elements("css selector", selector)


def one(browser: Any, selector: str) -> Any:
    """Return the first that is drawn; the page may still be at it."""
    until(lambda: every(browser, selector), f"{selector} is drawn")
    return browser.find_element("css selector", selector)


def text(browser: Any) -> str:
    return browser.execute_script("return document.body.innerText")


def heading(browser: Any) -> str:
    return browser.execute_script("return document.querySelector('main h1')?.textContent ?? ''")


def box(browser: Any, label: str) -> Any:
    """Return the box of a device or a group, once the page has drawn it."""
    return one(browser, f'g.box[aria-label*="{label}"]')


def keys(browser: Any, *sent: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser).send_keys(*sent).perform()


def focused(browser: Any) -> str:
    return browser.execute_script(
        "const at = document.activeElement;"
        "return at.getAttribute('aria-label') || at.value || at.textContent"
    )


def tab_to(browser: Any, wanted: str, most: int = 80) -> None:
    """Press Tab until something with such a name has the focus."""
    from selenium.webdriver.common.keys import Keys

    for _ in range(most):
        if (focused(browser) or "").startswith(wanted):
            return
        keys(browser, Keys.TAB)
    raise AssertionError(f"{wanted} is not reached by Tab")


def violations(browser: Any, axe: str) -> list[str]:
    browser.execute_script(axe)
    result = browser.execute_async_script(
        "const done = arguments[0];"
        "axe.run(document).then(done, (error) => done({error: String(error)}))"
    )
    assert "error" not in result, result
    return [
        f"{one['impact']} {one['id']}: {[node['html'][:120] for node in one['nodes'][:3]]}"
        for one in result["violations"]
        if one["impact"] in {"serious", "critical"}
    ]


def sound(browser: Any, axe: str) -> None:
    """Check what is shown now: in dark at a desk, and in light on a phone."""
    for width, theme in ((1280, "dark"), (390, "light")):
        size(browser, width)
        scheme(browser, theme)
        assert (width, theme, violations(browser, axe)) == (width, theme, [])
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert browser.execute_script(BROKEN_WORDS) == []
        assert browser.execute_script(RAW_NAMES) == []

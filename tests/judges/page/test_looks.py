"""Views of the page for everyone: axe, phones, words, and names of others as text."""

from __future__ import annotations

from typing import Any

import pytest

from tests.judges.page.browser import (
    BROKEN_WORDS,
    MARKUP,
    RAW_NAMES,
    box,
    every,
    one,
    scheme,
    shown,
    size,
    sound,
    text,
    violations,
)
from tests.waiting import until

VIEWS = (
    *("#/map", "#/map?by=load", "#/map?unit=su1&by=pause_per_s", "#/device/su1-rail0"),
    *("#/device/gpu001", "#/cable/su1-rail0/Ethernet0", "#/placement", "#/what-if"),
    *("#/device/nothing", "#/map?unit=nothing", "#/nothing"),
)


@pytest.mark.parametrize("dark", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_has_no_serious_finding(page: Any, site: Any, axe: str, view: str, dark: str) -> None:
    scheme(page, dark)
    shown(page, site, view)
    assert violations(page, axe) == []


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("#/nonsense", "The address #/nonsense names no view of this page."),
        ("#/map/su1", "The address #/map/su1 names no view of this page."),
        ("#/device", "The address #/device names no view of this page."),
        ("#/%", "The address #/% names no view of this page."),
        ("#/device/none", "there is no device 'none'"),
        ("#/map?unit=none", "no device passes all filters"),
    ],
    ids=["no view", "too much", "too little", "no text", "no device", "no unit"],
)
def test_an_address_of_nothing_leads_on(page: Any, site: Any, address: str, told: str) -> None:
    page.get("about:blank")
    page.get(f"{str(site.base_url).rstrip('/')}/{address}")
    assert told in one(page, "main .problem").text
    assert not every(page, "g.box")
    links = [link.text for link in every(page, "main p a")]
    assert links == ["Map", "Placement", "What if", "Changes"]
    every(page, "main p a")[0].click()
    until(lambda: every(page, "g.box"), "the map is there")


def ask_for_hosts(browser: Any, nodes: int) -> None:
    asked = one(browser, "input[name=nodes]")
    browser.execute_script("arguments[0].value = arguments[1]", asked, nodes)
    one(browser, "form.ask button.main").click()


def test_axe_sees_what_opens_on_the_map(page: Any, site: Any, axe: str) -> None:
    shown(page, site, "#/map")
    for selector in ("g.box.leaf", "g.box.many", "g.line .reach"):
        page.execute_script(
            "document.querySelector(arguments[0])"
            ".dispatchEvent(new MouseEvent('click', {bubbles: true}))",
            selector,
        )
        until(lambda: one(page, ".panel h2").is_displayed(), "it is open")
        sound(page, axe)


def test_axe_sees_answers(page: Any, site: Any, axe: str) -> None:
    shown(page, site, "#/placement")
    ask_for_hosts(page, 2)  # a long table of ranks takes axe minutes
    until(lambda: every(page, ".answer table"), "hosts are chosen")
    sound(page, axe)
    ask_for_hosts(page, 60)
    until(lambda: every(page, ".answer .problem"), "there is no place")
    sound(page, axe)
    shown(page, site, "#/what-if?unit=su1")
    box(page, "su1-rail0").click()
    until(lambda: every(page, ".answer .card"), "the answer is there")
    sound(page, axe)


def test_axe_does_find_what_is_wrong(page: Any, site: Any, axe: str) -> None:
    shown(page, site, "#/map")
    page.execute_script("document.getElementById('fabric').parentElement.style.color = '#ddd'")
    page.execute_script("document.querySelector('label[for=query]').remove()")
    page.execute_script("document.getElementById('query').removeAttribute('placeholder')")
    found = " ".join(violations(page, axe))
    assert "color-contrast" in found
    assert "label" in found


@pytest.mark.parametrize("view", VIEWS)
def test_it_fits_a_phone_and_breaks_no_word(page: Any, site: Any, view: str) -> None:
    size(page, 390, 844)
    shown(page, site, view)
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390
    for width in (390, 768, 1280):
        size(page, width)
        assert page.execute_script(BROKEN_WORDS) == []
    assert page.execute_script(RAW_NAMES) == []


def test_a_broken_word_and_a_raw_name_are_seen(page: Any, site: Any) -> None:
    size(page, 390, 844)
    shown(page, site, "#/device/su1-rail0")
    page.execute_script("document.querySelector('td bdi').style.cssText = 'word-break: break-all'")
    page.execute_script("document.querySelector('td').style.cssText = 'display: block; width: 2em'")
    assert page.execute_script(BROKEN_WORDS) != []
    page.execute_script("document.querySelector('dt').textContent = 'pool_bytes'")
    assert page.execute_script(RAW_NAMES) == ["pool_bytes"]


def test_fields_have_words(page: Any, site: Any) -> None:
    shown(page, site, "#/device/su1-rail0")
    seen = {row.text.replace("\n", ": ") for row in every(page, ".facts div")}
    mtu = "largest MTU at the ports with the largest headroom: 9,216 bytes"
    assert {"packet buffer: 158,229,504 bytes", mtu} <= seen
    assert "PFC pause frames, priority 3, received" in text(page)
    shown(page, site, "#/map")
    assert "wrong cables" in text(page)
    shown(page, site, "#/device/gpu001")
    until(lambda: every(page, ".facts div"), "the device is there")
    assert "VLAN 101, 10.64.0.2/24" in text(page)
    assert "serial" not in text(page)  # a host does not tell it
    shown(page, site, "#/placement")
    page.execute_script("document.querySelector('input[name=gpus_per_node]').max = 99")
    gpus = one(page, "input[name=gpus_per_node]")
    gpus.clear()
    gpus.send_keys("9\n")
    until(lambda: "9 GPUs per host are needed, but the hosts have 8" in text(page), "it is told")
    assert one(page, "#wrong-gpus_per_node").text.startswith("9 GPUs per host")
    assert not every(page, ".answer *")
    page.get_log("browser")  # 422 is what was asked for


def test_hostile_names_stay_text(page: Any, site: Any) -> None:
    for view in ("#/device/su1-rail0", "#/map", "#/cable/su1-rail0/Ethernet0", "#/what-if"):
        shown(page, site, view)
        assert (
            page.execute_script("return document.querySelectorAll('main img, main script').length")
            == 0
        )
        assert page.execute_script("return document.documentElement.scrollWidth") <= 1280
    shown(page, site, "#/device/su1-rail0")
    until(lambda: MARKUP in text(page), "the reason is there")
    seen = text(page)
    assert MARKUP in seen
    assert "x" * 200 in seen
    assert "x" * 300 not in seen
    assert any("\u202e" in item.get_attribute("textContent") for item in every(page, "bdi"))


def test_the_policy_stops_scripts_of_strings(page: Any, site: Any) -> None:
    shown(page, site, "#/map")
    tried = page.execute_script(
        "const failed = [];"
        "for (const run of [() => { document.body.innerHTML = '<b>x</b>'; },"
        " () => { document.createElement('script').text = 'window.hit = 1'; }])"
        " try { run(); } catch (error) { failed.push(error.name); } return failed;"
    )
    assert tried == ["TypeError", "TypeError"]
    page.get_log("browser")

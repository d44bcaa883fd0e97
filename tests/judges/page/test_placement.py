"""Placement: a job, its hosts, and what is wrong with its fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.judges.page.browser import every, one, shown, size, sound, text
from tests.serve.records import Traffic, append, busy, records
from tests.serve.servers import DEMO, served
from tests.topology.fabrics import INVENTORY, example
from tests.waiting import until


def test_a_placement_lights_up(page: Any, site: Any) -> None:
    shown(page, site, "#/placement")
    hint = "return document.querySelector('input[name=exclude]')?.placeholder"
    until(lambda: page.execute_script(hint) == "gpu[001-032]", "hosts of this fabric are named")
    nodes = one(page, "input[name=nodes]")
    nodes.clear()
    nodes.send_keys("40")
    traffic = one(page, "input[name=traffic]")
    traffic.clear()
    traffic.send_keys("all-to-all")
    one(page, "form.ask button.main").click()
    until(lambda: len(every(page, "g.box.lit")) == 2, "hosts of both units are lit")
    expected = site.post("/v1/placements", json={"nodes": 40, "traffic": "all-to-all"}).json()
    assert expected["hostlist"] in text(page)
    assert len(every(page, "g.line.lit")) == 16
    assert len(every(page, "g.line.step1")) >= 16
    assert len(every(page, "table tbody tr")) == 256
    nodes.clear()
    nodes.send_keys("60")
    one(page, "form.ask button.main").click()
    until(lambda: every(page, ".problem"), "there is no place")
    assert every(page, "g.box.lit") == []


def test_a_placement_is_of_a_tenant(page: Any, site: Any, tmp_path: Path) -> None:
    """Where there are tenants; the first one is chosen at first."""
    with served(tmp_path / "state", INVENTORY / "tenants") as client:
        shown(page, client, "#/placement")
        one(page, "select[name=tenant]")
        one(page, "form.ask button.main").click()
        until(lambda: "gpu[001,003]" in text(page), "the hosts of red are chosen")
        nodes = one(page, "input[name=nodes]")
        nodes.clear()
        nodes.send_keys("1")
        one(page, "select[name=tenant] option[value=blue]").click()
        one(page, "form.ask button.main").click()
        until(lambda: "su1 is the tightest unit" in text(page), "the host of blue is chosen")
        assert one(page, ".hostlist").text == "gpu002"
    shown(page, site, "#/placement")
    until(lambda: every(page, "g.box"), "the picture is there")
    assert every(page, "select[name=tenant]") == []


def test_a_job_is_in_the_address(page: Any, tmp_path: Path) -> None:
    """It can be shared and loaded again, and Back leads to the job before."""
    with served(tmp_path / "state", INVENTORY / "tenants") as client:
        view = f"{str(client.base_url).rstrip('/')}/#/placement"
        page.get(f"{view}?nodes=1&traffic=tree&exclude=gpu001&tenant=red")
        until(lambda: "gpu003" in hosts(page), "it is asked at once")
        values = {item.get_attribute("name"): item.get_attribute("value") for item in inputs(page)}
        shared = {"nodes": "1", "gpus_per_node": "2", "traffic": "tree"}
        assert values == {**shared, "within": "", "exclude": "gpu001", "tenant": "red"}
        one(page, "select[name=tenant] option[value=blue]").click()
        assert "The job was changed" in text(page)
        one(page, "form.ask button.main").click()
        until(lambda: hosts(page) == "gpu002", "the host of blue is chosen")
        assert "The job was changed" not in text(page)
        assert page.current_url.endswith("traffic=tree&exclude=gpu001&tenant=blue")
        page.refresh()
        until(lambda: hosts(page) == "gpu002", "it is asked again")
        page.back()
        until(lambda: hosts(page) == "gpu003", "the job before is there")


def hosts(browser: Any) -> str:
    """Return the hosts of the answer; empty while the page is at it."""
    return browser.execute_script("return document.querySelector('.hostlist')?.textContent ?? ''")


def inputs(browser: Any) -> list[Any]:
    return every(browser, "form.ask :is(input, select)")


#: Address of a job, and what each of its fields says.
WRONG_JOBS = {
    "a number": ("nodes=99&tenant=red", {"nodes": "enter a number from 1 to 4"}),
    "an unknown host": (
        "nodes=1&tenant=red&exclude=node-9",
        {"exclude": "no such host: 'node-9'; the map shows the hosts"},
    ),
    "a range": (
        "nodes=1&tenant=red&exclude=gpu[1-",
        {"exclude": "'gpu[1-' is not a name range; use the form gpu[001-064]"},
    ),
    "a traffic": (
        "nodes=1&tenant=red&traffic=star",
        {
            "traffic": "unknown traffic 'star'; use ring, tree, all-to-all, pipeline, or a mix "
            "such as ring:3,all-to-all:1"
        },
    ),
    "what no list has": (
        "nodes=1&tenant=green&within=row",
        {
            "within": "there is no 'row' here; choose from the list",
            "tenant": "there is no 'green' here; choose from the list",
        },
    ),
    "no tenant is chosen": ("nodes=1", {"tenant": "choose a tenant, or 'no tenant'"}),
    "more than the tenant has": (
        "nodes=2&tenant=blue",
        {
            "nodes": "2 hosts are needed, but of the 2 hosts of tenant blue only 1 has all NICs "
            "that the job uses; request at most 1 host, or use fewer GPUs of each"
        },
    ),
    "no place now": ("nodes=2&tenant=red", {}),
}


def test_each_field_says_what_is_wrong_with_it(page: Any, axe: str, tmp_path: Path) -> None:
    """In the words of the form, where an answer was there before; no answer of it stays."""
    with served(tmp_path / "state", INVENTORY / "tenants") as client:
        view = f"{str(client.base_url).rstrip('/')}/#/placement"
        client.post("/v1/jobs", json={"name": "train", "hosts": "gpu001"})
        for job, told in WRONG_JOBS.values():
            page.get(f"{view}?nodes=1&tenant=red")
            until(lambda: every(page, ".answer table"), "hosts are chosen")
            page.execute_script("location.hash = arguments[0]", f"#/placement?{job}")
            until(lambda: every(page, "[aria-invalid], .problem"), "it is refused")
            wrong = {
                item.get_attribute("name"): one(page, f"#wrong-{item.get_attribute('name')}").text
                for item in every(page, "[aria-invalid]")
            }
            assert wrong == told
            assert every(page, ".answer table, g.lit") == []
            assert len(every(page, ".answer .problem")) == (not told)
            sound(page, axe)
            size(page, 1280)
        assert "request fewer hosts" in one(page, ".problem").text
        page.get_log("browser")  # 422 is what was asked for


def test_an_answer_is_of_the_job_that_was_asked(page: Any, site: Any) -> None:
    shown(page, site, "#/placement?nodes=2")
    until(lambda: every(page, ".answer table"), "hosts are chosen")
    assert not every(page, ".view.stale, .view.asking")
    nodes = one(page, "input[name=nodes]")
    nodes.clear()
    nodes.send_keys("3")
    assert every(page, ".view.stale")
    page.execute_script("window.fetch = () => new Promise(() => {})")
    one(page, "form.ask button.main").click()
    until(lambda: every(page, ".view.asking [aria-busy]"), "it is marked while it is asked")
    shown(page, site, "#/placement?nodes=2")
    until(lambda: every(page, ".answer table"), "hosts are chosen")
    nodes = one(page, "input[name=nodes]")
    nodes.clear()
    nodes.send_keys("0")
    one(page, "form.ask button.main").click()
    until(lambda: not every(page, ".answer *, g.lit"), "nothing is left of it")
    assert not every(page, ".view.stale, .view.asking")


def test_readings_and_both_ports_of_a_nic_are_shown(page: Any, tmp_path: Path) -> None:
    fabric = example("dual-tor")
    down = dict.fromkeys(
        [("gpu02", "eth1"), ("gpu03", "eth1"), ("gpu03", "eth2")], Traffic(up=False)
    )
    file = tmp_path / "readings.jsonl"
    append(file, records(fabric, fabric.hosts.names, 1, busy(down)))
    with served(tmp_path / "state", INVENTORY / "dual-tor", readings=file) as client:
        shown(page, client, "#/placement?nodes=7")
        until(lambda: "Not as planned" in text(page), "hosts are chosen")
        said = text(page)
    share = "a NIC has 50 % of its bandwidth left"
    assert f"gpu02:eth1 is down: observe: the port is down; {share}" in said
    lost = "; ".join(
        f"gpu03:{port} is down: observe: the port is down" for port in ("eth1", "eth2")
    )
    assert f"no port of the NIC of rail 0 carries traffic: {lost}" in said
    assert "Nothing is reported." not in said
    assert "Drift does not count" not in said
    assert "eth3, eth4" in said
    assert "su1-rail1-a, su1-rail1-b" in said


def test_drift_does_not_count(page: Any, tmp_path: Path) -> None:
    """The map of the same page has its mark."""
    drift = tmp_path / "drift.json"
    item = {"path": "x", "running": "1", "planned": "2", "line": ""}
    drift.write_text(json.dumps([{"device": "su1-rail0", "drift": [item]}]))
    with served(tmp_path / "state", DEMO, drift=drift, watch_s=0.05) as client:
        shown(page, client, "#/placement?nodes=1")
        until(lambda: "Not as planned" in text(page), "hosts are chosen")
        assert "device that differs from the plan: 1" in text(page)
        assert "Nothing is reported." in text(page)
        assert "Drift does not count" in text(page)

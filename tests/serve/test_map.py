"""The map and the devices over HTTP: what is drawn, what readings say of it, and what differs."""

from __future__ import annotations

import json

import pytest

from fabric.boot.log import BootLog, State
from fabric.serve.routes import browser
from fabric.topology.device_ends import ends_of
from fabric.workflow.project import Project
from tests.cli.runs import ROOT
from tests.serve.records import Traffic, append, busy, records
from tests.serve.servers import copy_of_demo, served
from tests.serve.test_drift import event
from tests.waiting import until, write_whole

LEAF = "su1-rail0"
#: States of cables that an inventory does not tell.
UNKNOWN = ("down", "lossless", "wrong")
DRIFT = [
    {
        "device": LEAF,
        "drift": [{"path": "MTU", "running": 1500, "planned": None, "line": "", "values": []}],
    },
    {"device": "su1-rail1", "ok": True, "error": "", "drift": []},
]


def _names(picture: dict) -> list[str]:
    return sorted(name for box in picture["boxes"] for name in box["members"])


def test_the_map_has_every_device_and_cable(shared) -> None:
    picture = shared.get("/v1/map").json()
    fabric = shared.service.loaded.fabric
    assert _names(picture) == sorted([*fabric.switches.names, *fabric.hosts.names])
    cables = len(fabric.nics) + len(fabric.uplinks)
    assert sum(line["cables"] for line in picture["lines"]) == cables
    assert picture["filters"] == {
        "units": ["su1", "su2"],
        "pods": [],
        "rails": 2,
        "planes": 1,
        "jobs": [],
    }


#: Filters of the demo fabric, with leaves and hosts that they leave.
FILTERS = {
    "unit=su1": (["su1-rail0", "su1-rail1"], ["gpu001", "gpu002"]),
    "unit=su[1-2]&rail=1": (["su1-rail1", "su2-rail1"], ["gpu001", "gpu002", "gpu003", "gpu004"]),
    "job=train": (["su1-rail0", "su1-rail1"], ["gpu002"]),
}


@pytest.mark.parametrize("words", FILTERS)
def test_filters(own, words: str) -> None:
    own.post("/v1/jobs", json={"name": "train", "hosts": "gpu002"})
    picture = own.get(f"/v1/map?{words}").json()
    leaves, hosts = FILTERS[words]
    assert _names(picture) == sorted([*leaves, *hosts, "spine01", "spine02"])
    figures = own.get(f"/v1/map/values?{words}").json()
    assert len(figures["load"]) == len(picture["lines"])


@pytest.mark.parametrize(
    ("words", "status"),
    [
        *(("unit=none", 404), ("plane=3", 404), ("job=none", 404), ("rail=7", 404)),
        *(("rail=-1", 422), ("unit=a[1-", 422), ("unit=a[1-99999999]", 422), ("rail=x", 422)),
    ],
)
def test_wrong_filters_are_problems(shared, words: str, status: int) -> None:
    for path in ("/v1/map", "/v1/map/values"):
        answer = shared.get(f"{path}?{words}")
        assert answer.status_code == status
        assert answer.headers["content-type"] == "application/problem+json"


#: What fails, devices that do, and cables of the demo fabric, and of its first unit.
FAILING = {
    "switch:spine01": (["spine01"], 4, 2),
    "gpu[001,003]": (["gpu001", "gpu003"], 4, 2),
    "rack:su1": (["su1-rail0", "su1-rail1", "gpu001", "gpu002"], 8, 8),
    "cable-bundle:su2-rail0:spine01": ([], 1, 0),
    "gpu001:eth1": ([], 1, 1),
}


def test_what_fails_of_a_picture(shared) -> None:
    for word, (devices, *counts) in FAILING.items():
        for filters, cables in zip(("", "?unit=su1"), counts, strict=True):
            picture = shared.get(f"/v1/map{filters}").json()
            failing = shared.post(f"/v1/map/failing{filters}", json={"fail": [word, word]}).json()
            assert len(failing["lines"]) == len(picture["lines"])
            assert (failing["devices"], sum(failing["lines"])) == (devices, cables), (word, filters)
    answer = shared.post("/v1/map/failing", json={"fail": ["switch:nothing"]})
    assert (answer.status_code, answer.json()["findings"][0]["rule"]) == (422, "TOP005")


def test_tags(own) -> None:
    first = own.get("/v1/map")
    tag = first.headers["etag"]
    assert own.get("/v1/map", headers={"If-None-Match": tag}).status_code == 304
    figures = own.get("/v1/map/values")
    assert figures.json()["picture"] == tag
    known = {"If-None-Match": figures.headers["etag"]}
    assert own.get("/v1/map/values", headers=known).status_code == 304
    own.patch("/v1/state", json={"conditions": {"gpu001": {"health": "down"}}})
    again = own.get("/v1/map", headers={"If-None-Match": tag})
    assert again.status_code == 200
    assert again.headers["etag"] != tag
    host = next(box for box in again.json()["boxes"] if box["members"] == ["gpu001"])
    assert host["health"] == "down"
    assert again.json()["totals"]["down"] == 2


def test_conditions_of_cables_and_switches_are_drawn(own) -> None:
    port = next(end.port for end in ends_of(own.service.loaded.fabric, LEAF))
    conditions = {f"{LEAF}:{port}": {"health": "down"}, "spine01": {"health": "down"}}
    assert own.patch("/v1/state", json={"conditions": conditions}).status_code == 200
    picture = own.get("/v1/map").json()
    uplinks = sum(
        line["states"].get("down", 0)
        for line in picture["lines"]
        if picture["boxes"][line["upper"]]["members"] == ["spine01"]
    )
    fabric = own.service.loaded.fabric
    assert uplinks == len(fabric.downlinks_of(fabric.switch_row["spine01"]))
    assert picture["totals"]["down"] == uplinks + 1


def test_cables_of_what_is_drained_are_not_down(own) -> None:
    """The box has the condition, and the device is named, however many the box stands for."""
    port = next(end.port for end in ends_of(own.service.loaded.fabric, LEAF))
    drained = {name: {"health": "drained"} for name in ("gpu001", "spine01", f"{LEAF}:{port}")}
    assert own.patch("/v1/state", json={"conditions": drained}).status_code == 200
    picture = own.get("/v1/map").json()
    assert not any(line["not_planned"] for line in picture["lines"])
    assert not any("down" in line["states"] for line in picture["lines"])
    named = [name for box in picture["boxes"] for name in (*box["conditions"], *box["at_ports"])]
    assert sorted(named) == ["gpu001", "spine01", LEAF]


#: What is degraded in the demo fabric, and the lower devices of degraded cables, one for each line.
DEGRADED = {
    "a NIC": ({"gpu003:eth1": 0.5}, ["gpu003"]),
    "a NIC that has all of its speed": ({"gpu003:eth1": 1}, ["gpu003"]),
    "both ends of a cable": ({"gpu001:eth1": 0.5, f"{LEAF}:Ethernet0": 0.5}, ["gpu001"]),
    "a cable between switches": ({f"{LEAF}:Ethernet128": 0.5}, [LEAF]),
    "a host": ({"gpu003": 0.5}, ["gpu003"] * 2),
    "a host with all of its speed": ({"gpu003": 1}, []),
    "a leaf": ({LEAF: 0.5}, ["gpu001", "gpu002", LEAF, LEAF]),
    "a spine": ({"spine01": 0.5}, ["su1-rail0", "su1-rail1", "su2-rail0", "su2-rail1"]),
}


@pytest.mark.parametrize("name", DEGRADED)
def test_degraded_cables_are_not_as_planned(own, name: str) -> None:
    shares, lower = DEGRADED[name]
    degraded = {
        subject: {"health": "degraded", "capacity": share} for subject, share in shares.items()
    }
    assert own.patch("/v1/state", json={"conditions": degraded}).status_code == 200
    picture = own.get("/v1/map").json()
    states = [line for line in picture["lines"] if "degraded" in line["states"]]
    assert sorted(name for line in states for name in line["not_planned"]["degraded"]) == lower
    assert {line["state"] for line in states} <= {"degraded"}
    count = sum(line["states"]["degraded"] for line in states)
    assert picture["totals"].get("degraded", 0) == count
    planned = sum(line["states"].get("planned", 0) for line in picture["lines"])
    assert planned == sum(line["cables"] for line in picture["lines"]) - count


def test_what_is_down_is_not_degraded(own) -> None:
    conditions = {
        "gpu003": {"health": "down"},
        "gpu003:eth1": {"health": "degraded", "capacity": 0.5},
    }
    assert own.patch("/v1/state", json={"conditions": conditions}).status_code == 200
    totals = own.get("/v1/map").json()["totals"]
    assert (totals["down"], totals.get("degraded")) == (2, None)


def test_devices_and_cables_that_are_not_as_planned_have_names(own) -> None:
    fabric = own.service.loaded.fabric
    port = next(end.port for end in ends_of(fabric, LEAF) if not end.is_nic)
    conditions = {f"{LEAF}:{port}": {"health": "down"}, "gpu001": {"health": "down"}}
    assert own.patch("/v1/state", json={"conditions": conditions}).status_code == 200
    picture = own.get("/v1/map").json()
    boxes = {box["members"][0]: box for box in picture["boxes"]}
    assert (boxes["gpu001"]["conditions"], boxes[LEAF]["conditions"]) == ({"gpu001": "down"}, {})
    assert boxes[LEAF]["health"] == "down"
    names = [line["not_planned"] for line in picture["lines"] if line["not_planned"]]
    assert sorted(names, key=str) == [{"down": ["gpu001"]}] * 2 + [{"down": [LEAF]}]


def test_a_device_has_the_conditions_of_both_ends_of_its_cables(own) -> None:
    conditions = {name: {"health": "down"} for name in ("gpu001:eth1", "gpu002", "spine02")}
    assert own.patch("/v1/state", json={"conditions": conditions}).status_code == 200
    for name, known in (("gpu001", {"gpu001:eth1"}), (LEAF, {*conditions}), ("gpu003", set())):
        assert {*own.get(f"/v1/devices/{name}").json()["conditions"]} == known


def test_what_the_inventory_shuts_is_told_apart_from_what_is_down(tmp_path) -> None:
    """A NIC in quarantine stays so when its link is read as down; a disabled cable is down."""
    folder, readings = tmp_path / "fabric", tmp_path / "readings.jsonl"
    (folder / "devices").mkdir(parents=True)
    text = (ROOT / "inventory" / "tenants" / "fabric.yaml").read_text()
    off = "devices:\n  - {names: su1-rail0, ports: {Ethernet17/1: {enabled: false}}}\n"
    (folder / "fabric.yaml").write_text(text)
    (folder / "devices" / "off.yaml").write_text(off)
    fabric = Project(folder).fabric
    port = next(end.port for end in ends_of(fabric, "gpu004") if end.peer == "su2-rail1")
    append(readings, records(fabric, ["gpu004"], 1, busy({("gpu004", port): Traffic(up=False)})))
    with served(tmp_path / "state", folder, readings=readings) as client:
        until(
            lambda: client.get("/v1/map/values").json()["readings"]["devices"] == 1,
            "the record is there",
        )
        picture = client.get("/v1/map").json()
        owners = [
            (one["tenant"], one["quarantined"])
            for device in ("gpu004", "su2-rail1", "spine01")
            for one in client.get(f"/v1/devices/{device}").json()["planned"]["ports"]
        ]
    assert owners[:4] == [("blue", False), ("", True), ("red", False), ("", True)]
    assert {*owners[4:]} == {("", False)}
    lines = {
        (
            picture["boxes"][line["lower"][0]]["label"],
            picture["boxes"][line["upper"]]["label"],
        ): line
        for line in picture["lines"]
    }
    assert {ends: line["off"] for ends, line in lines.items() if line["off"]} == {
        ("gpu004", "su2-rail1"): "quarantine",
        ("su1-rail0", "spine01"): "down",
    }
    apart = lines["gpu004", "su2-rail1"]
    assert (apart["state"], apart["not_planned"]) == ("quarantine", {})
    assert picture["totals"]["quarantine"] == 1


def test_a_part_has_the_oversubscription_of_the_fabric(own) -> None:
    """Not that of the hosts that are shown."""
    own.post("/v1/jobs", json={"name": "train", "hosts": "gpu002"})
    whole, part = (own.get(f"/v1/map{words}").json() for words in ("", "?job=train"))
    ratios = [
        [line for caption in one["captions"] for line in caption["lines"] if line.endswith(":1")]
        for one in (whole, part)
    ]
    assert ratios[0]
    assert ratios[0] == ratios[1]


def test_a_box_of_several_devices_opens(tmp_path) -> None:
    with served(tmp_path, ROOT / "inventory" / "rail-512") as client:
        picture = client.get("/v1/map").json()
        many = [box for box in picture["boxes"] if len(box["members"]) > 1]
        assert many
        for box in many:
            assert box["opens"], box["label"]
            words = "&".join(f"{name}={value}" for name, value in box["opens"].items())
            inside = client.get(f"/v1/map?{words}").json()
            assert {*box["members"]} <= {*_names(inside)}
            assert len(_names(inside)) < len(_names(picture))


def test_devices_from_the_box_are_counted_until_all_are_verified(tmp_path) -> None:
    fabric = Project(ROOT / "inventory" / "demo").fabric
    names = (*fabric.switches.names, *fabric.hosts.names)
    file = tmp_path / "boot.log"
    log = BootLog(file)
    with served(tmp_path / "state", boot_log=file, watch_s=0.02) as client:

        def notes() -> list[str]:
            return client.get("/v1/map/values").json()["warnings"]

        assert notes() == []
        log.add(names[0], State.CONFIGURED)
        count = f"from the box: {len(names) - 1} waiting, 1 configured"
        until(lambda: notes() == [count], "the log is read")
        for name in names:
            log.add(name, State.VERIFIED)
        until(lambda: notes() == [], "all are verified")
        file.write_text("no record\n")
        until(lambda: "the log cannot be read" in "".join(notes()), "the file is wrong")


def test_readings_are_drawn_as_they_come(tmp_path) -> None:
    fabric = Project(ROOT / "inventory" / "demo").fabric
    file = tmp_path / "readings.jsonl"
    host_port, uplink = (
        next(end.port for end in ends_of(fabric, LEAF) if end.is_nic is is_nic)
        for is_nic in (True, False)
    )
    marked = {
        (LEAF, host_port): Traffic(up=False),
        (LEAF, uplink): Traffic(load=0.9, pause_per_s=7.0, error_per_s=2.0),
    }
    with served(tmp_path / "state", readings=file, watch_s=0.02) as client:
        answer = client.get("/v1/map/values").json()
        assert "no such file" in answer["warnings"][0]
        assert {*answer["load"]} == {None}
        append(file, records(fabric, [LEAF], 2, busy(marked)))
        until(
            lambda: client.get("/v1/map/values").json()["readings"]["devices"] == 1,
            "the records are there",
        )
        answer = client.get("/v1/map/values").json()
        assert answer["warnings"] == []
        assert max(load for load in answer["load"] if load is not None) == 0.9
        assert max(one for one in answer["pause_per_s"] if one is not None) == 7
        assert max(one for one in answer["error_per_s"] if one is not None) == 2
        assert client.get("/v1/map").json()["totals"]["down"] == 1
        device = client.get(f"/v1/devices/{LEAF}").json()
        assert device["running"]["state"]["interfaces"][host_port]["up"] is False
        assert {one["labels"]["port"] for one in device["series"]} >= {uplink}
        assert client.get("/v1/devices/gpu001").json()["running"] is None


def test_readings_outlive_another_inventory(tmp_path) -> None:
    folder = copy_of_demo(tmp_path)
    file = tmp_path / "readings.jsonl"
    append(file, records(Project(folder).fabric, [LEAF, "gpu004"], 2, busy({})))
    with served(tmp_path / "state", folder, readings=file, watch_s=0.02) as client:
        assert client.get("/v1/map/values").json()["readings"]["devices"] == 2
        text = (folder / "fabric.yaml").read_text()
        write_whole(folder / "fabric.yaml", text.replace("name: demo", "name: other"))
        until(lambda: client.get("/v1/map").json()["title"] == "other", "it is loaded")
        answer = client.get("/v1/map/values").json()
        assert answer["readings"]["devices"] == 2
        assert any(load is not None for load in answer["load"])


def test_a_device_is_as_planned(shared) -> None:
    leaf = shared.get(f"/v1/devices/{LEAF}").json()
    design = shared.service.loaded.project.devices[LEAF]
    used = [port for port in design.ports if port.kind != "unused"]
    assert [one["port"] for one in leaf["planned"]["ports"]] == [port.name for port in used]
    ports = {one["port"]: (one["panel"], one["peer_panel"]) for one in leaf["planned"]["ports"]}
    assert (ports["Ethernet8"], ports["Ethernet128"]) == (("2", ""), ("17", "1"))
    assert leaf["planned"]["ports"][0]["headroom_bytes"] == used[0].headroom.headroom_bytes
    spine = shared.get("/v1/devices/spine01").json()["planned"]
    estimates = [one["ports"][0]["headroom_is_estimate"] for one in (leaf["planned"], spine)]
    assert estimates == [False, True]  # a row of SONiC's table, and the law for EOS
    assert leaf["planned"]["vlans"][0]["vlan"] == design.vlans[0].vlan
    assert (leaf["running"], leaf["drift"], leaf["is_read"]) == (None, None, False)
    host = shared.get("/v1/devices/gpu001").json()
    assert [one["port"] for one in host["planned"]["ports"]] == ["eth1", "eth2"]
    assert shared.get("/v1/devices/spine01").json()["planned"]["kind"] == "spine"
    assert shared.get("/v1/devices/nothing").status_code == 404


def test_the_budget_is_what_explain_says(shared) -> None:
    from fabric.report.budget import find_port, port_budget

    project = shared.service.loaded.project
    port = project.devices[LEAF].ports[0].name
    rows = shared.get(f"/v1/devices/{LEAF}/budget", params={"port": port}).json()["rows"]
    expected = port_budget(project, project.devices[LEAF], find_port(project, LEAF, port))
    assert rows == [[str(cell) for cell in row] for row in expected.rows]
    for device, name in ((LEAF, "Ethernet9999"), ("gpu001", "eth1"), ("nothing", "x")):
        answer = shared.get(f"/v1/devices/{device}/budget", params={"port": name})
        assert answer.status_code == 404


def test_a_cable_is_what_show_cable_says(shared) -> None:
    """From either of its ends; cables between switches have no host to compare."""
    from fabric.report.lossless import cable

    expected = cable(shared.service.loaded.project, "gpu001", "eth2").rows
    for device, port in (("gpu001", "eth2"), ("su1-rail1", "Ethernet0")):
        told = shared.get(f"/v1/devices/{device}/cable", params={"port": port}).json()
        ends = [told[name] for name in ("host", "interface", "switch", "port")]
        assert ends == ["gpu001", "eth2", "su1-rail1", "Ethernet0"]
        members = ("item", "host", "switch", "verdict", "rule", "note")
        rows = [tuple(line[name] or "-" for name in members) for line in told["lines"]]
        assert rows == [*expected]
    for device, port in ((LEAF, "Ethernet9999"), ("spine01", "Ethernet1/1"), ("nothing", "x")):
        answer = shared.get(f"/v1/devices/{device}/cable", params={"port": port})
        assert answer.status_code == 404


def test_what_a_device_chooses_is_auto(shared) -> None:
    """The FEC of a NIC, as `rocefab show cable` has it."""
    ports = shared.get("/v1/devices/gpu001").json()["planned"]["ports"]
    assert {one["fec"] for one in ports} == {"auto"}
    ports = shared.get(f"/v1/devices/{LEAF}").json()["planned"]["ports"]
    assert {one["fec"] for one in ports} == {"rs"}


def test_drift_is_read_again_when_the_file_changes(tmp_path) -> None:
    file = tmp_path / "drift.json"

    def difference(client):
        return client.get(f"/v1/devices/{LEAF}").json()["drift"]

    def warnings(client):
        return client.get("/v1/map/values").json()["warnings"]

    with served(tmp_path / "state", drift=file, watch_s=0.02) as client:
        assert "cannot be read: no such file" in warnings(client)[0]
        write_whole(file, json.dumps(DRIFT))
        until(lambda: difference(client), "the file is read")
        (change,) = difference(client)["drift"]
        assert (change["path"], change["running"], change["planned"]) == ("MTU", "1500", None)
        assert client.get("/v1/devices/su1-rail1").json()["drift"]["drift"] == []
        assert client.get("/v1/devices/gpu001").json()["drift"] is None
        write_whole(file, '[{"device": 3.5}]')
        until(lambda: warnings(client), "the file is wrong")
        assert "not the output of `rocefab drift --format json`" in warnings(client)[0]
        assert difference(client), "what was read before is kept"


#: What `rocefab drift` wrote, devices that differ with their values, and how many were compared.
COMPARED = {
    "a list": (json.dumps(DRIFT), {LEAF: 1}, 2),
    "a device that did not answer": (
        json.dumps([{"device": LEAF, "ok": False, "error": "timed out"}]),
        {},
        0,
    ),
    "what was not compared": (json.dumps([{"device": LEAF, "ok": None}]), {}, 0),
    "a NIC, and a value that is not known": (
        json.dumps([
            {
                "device": host,
                "ok": False,
                "deviations": [{"subject": "eth1", "message": "x", "unknown": unknown}],
            }
            for host, unknown in (("gpu001", False), ("gpu002", True))
        ]),
        {"gpu001": 1},
        1,
    ),
    "events": (event("mtu") + event("pfc") + event("pfc", is_open=False), {LEAF: 1}, 10),
}


@pytest.mark.parametrize("case", COMPARED)
def test_devices_that_differ_are_on_the_map(tmp_path, case: str) -> None:
    text, differ, compared = COMPARED[case]
    file = tmp_path / "drift.json"
    with served(tmp_path / "state", drift=file, watch_s=0.02) as client:
        before = client.get("/v1/map")
        assert before.json()["compared"] is None
        write_whole(file, text)
        until(lambda: client.get("/v1/map").json()["compared"] is not None, "the file is read")
        answer = client.get("/v1/map")
    named = {name: count for box in answer.json()["boxes"] for name, count in box["differ"].items()}
    assert (named, answer.json()["compared"]) == (differ, compared)
    assert answer.headers["ETag"] != before.headers["ETag"]


def test_link_loads_of_a_placement_are_those_of_its_answer(own) -> None:
    body = {"nodes": 4, "traffic": "all-to-all", "links": True}
    answer = own.post("/v1/placements", json=body).json()
    loads = [max(one["up"], one["down"]) for one in answer["link_loads"]]
    assert loads == sorted(loads, reverse=True)
    assert loads[0] == pytest.approx(answer["link_load"], rel=1e-5)
    names = {*own.service.loaded.fabric.switches.names}
    for one in answer["link_loads"]:
        assert {*one["lower"], one["upper"]} <= names
    assert "link_loads" not in own.post("/v1/placements", json={"nodes": 4}).json()


def test_files_of_the_page_are_kept_by_browsers(shared) -> None:
    index = shared.get("/")
    assert index.headers["content-type"] == "text/html; charset=utf-8"
    digest, files = browser.files()
    assert "{{" not in index.text
    tag = index.headers["etag"]
    assert shared.get("/", headers={"If-None-Match": tag}).status_code == 304
    for name in files:
        answer = shared.get(f"/page/{digest}/{name}")
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
    assert shared.get(f"/page/{digest}/..%2Fapp.py").status_code == 404
    assert shared.get("/page/other/app.js").status_code == 404


def test_the_page_loads_nothing_from_elsewhere_and_makes_no_markup_of_data() -> None:
    _, files = browser.files()
    for name, content in files.items():
        text = content.decode().replace("http://www.w3.org/2000/svg", "")
        assert "://" not in text, name
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert word not in text, (name, word)
        if name.endswith(".html"):
            assert "<style" not in text
            assert " style=" not in text
            assert "<script>" not in text


def test_what_was_not_read_has_no_number(shared) -> None:
    picture = shared.get("/v1/map").json()
    cables = sum(line["cables"] for line in picture["lines"])
    unknown = {state: (picture["totals"][state], picture["unread"][state]) for state in UNKNOWN}
    assert unknown == dict.fromkeys(UNKNOWN, (None, cables))
    assert (picture["totals"]["planned"], picture["unread"]["planned"]) == (None, cables)
    assert picture["compared"] is None
    assert {len(box["differ"]) for box in picture["boxes"]} == {0}
    assert shared.get(f"/v1/devices/{LEAF}").json()["rated"] == []

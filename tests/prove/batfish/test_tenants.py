"""Tenants before Batfish: what is asked, what is made of answers, and what is not asked at all.

No real Batfish answers here: docs/prove.md says that these questions are unconfirmed.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import replace
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.prove.batfish import questions
from fabric.prove.batfish.forms import snapshot_writers
from fabric.prove.batfish.judge import Judgement, judge
from fabric.prove.batfish.snapshot import Subject
from fabric.prove.batfish.unread import unread_tenants
from fabric.prove.scenarios import scenarios
from fabric.workflow.project import Project
from tests.cli.runs import Ended, run
from tests.nics import addressed
from tests.prove.batfish.mistakes import eos, nic
from tests.prove.batfish.standin import StandIn, addresses
from tests.prove.batfish.subjects import example_subject, subject_of
from tests.prove.fabrics import with_files
from tests.topology.fabrics import INVENTORY

TENANTS = INVENTORY / "tenants"
RED = ["gpu001-eth1", "gpu001-eth2", "gpu003-eth1", "gpu003-eth2"]
BLUE = ["gpu002-eth1", "gpu002-eth2", "gpu004-eth1"]
OF_RED = ["10.64.0.1", "10.64.0.33", "10.64.128.1", "10.64.128.33"]
OF_BLUE = ["10.64.0.3", "10.64.0.35", "10.64.128.3"]
SWITCHES = [f"10.255.0.{number}" for number in (1, 2, 129, 130, 131, 132)]
LOST, ARRIVED = questions.LOST, questions.ARRIVED

Asked = list[tuple[list[str], list[str], str]]

#: What the example is asked about reachability: starts, addresses, ends of packets.
ASKED: Asked = [
    (RED, OF_RED, LOST),
    (RED, OF_RED, ARRIVED),
    (BLUE, OF_BLUE, LOST),
    (BLUE, OF_BLUE, ARRIVED),
    (RED, OF_BLUE, ARRIVED),
    (RED, SWITCHES, ARRIVED),
    (BLUE, OF_RED, ARRIVED),
    (BLUE, SWITCHES, ARRIVED),
]
#: The same in the form `local`, where a promise ends at the leaf.
ASKED_LOCAL: Asked = [
    (RED[:1], OF_RED[:1], LOST),
    (RED[:1], OF_RED[:1], ARRIVED),
    (RED[1:2], OF_RED[2:3], LOST),
    (RED[1:2], OF_RED[2:3], ARRIVED),
    (BLUE[:1], OF_BLUE[:1], LOST),
    (BLUE[:1], OF_BLUE[:1], ARRIVED),
    (BLUE[1:2], OF_BLUE[2:], LOST),
    (BLUE[1:2], OF_BLUE[2:], ARRIVED),
    (RED[2:3], OF_RED[1:2], LOST),
    (RED[2:3], OF_RED[1:2], ARRIVED),
    (RED[3:], OF_RED[3:], LOST),
    (RED[3:], OF_RED[3:], ARRIVED),
    (BLUE[2:], OF_BLUE[1:2], LOST),
    (BLUE[2:], OF_BLUE[1:2], ARRIVED),
    *ASKED[4:],
]

#: Models for leaves of the example beside its own, and for spines, at 400 Gbit/s.
EOS = "7060X6-64PE"
MODELS = {
    "nxos": "N9K-C9332D-GX2B",
    "junos": "QFX5230-64CD",
    "cumulus": "SN4700",
    "sonic": "ACS-MSN4700",
    "esonic": "Z9432F-ON",
}
#: What a system wants beside its model.
MORE = {
    "nxos": {
        "lossless": {"cnp_traffic_class": 7, "cnp_queue": 7, "mtu": {"port_bytes": 9216}},
    },
}
#: Systems of three leaves and a spine beside EOS, the form, and what is not read of whom.
MIXED: dict[str, tuple[dict[str, str], str, dict[str, tuple[str, ...]]]] = {
    "EOS alone": ({}, "evpn", {}),
    "EOS alone, local": ({}, "local", {}),
    "systems with VRFs, local": ({"su1-rail0": "nxos", "su2-rail0": "junos"}, "local", {}),
    "a spine knows no tenant, local": ({"spine01": "sonic", "spine02": "cumulus"}, "local", {}),
    "systems without VRFs, local": (
        {"su1-rail0": "sonic", "su2-rail0": "cumulus", "su2-rail1": "esonic"},
        "local",
        {
            "Batfish has no table VRF of CONFIG_DB": ("su1-rail0",),
            "Batfish has no grammar for cumulus": ("su2-rail0",),
            "Batfish has no grammar for esonic": ("su2-rail1",),
        },
    ),
    "systems without EVPN": (
        {"su1-rail0": "junos", "su1-rail1": "nxos", "su2-rail0": "sonic", "spine02": "nxos"},
        "evpn",
        {
            "Batfish takes the source of tunnels from `switch-options` alone": ("su1-rail0",),
            "Batfish has no `vni N l3`": ("su1-rail1", "spine02"),
            "Batfish stops with an error at EVPN of SONiC": ("su2-rail0",),
        },
    ),
}


def asked_of(service: StandIn) -> Asked:
    """Return what was asked about reachability."""
    return [
        (
            _nodes(question["pathConstraints"]["startLocation"]),
            addresses(question["headers"]["dstIps"]),
            question["actions"],
        )
        for question in service.asked
        if questions.short_name(question) == "SpecifiersReachabilityQuestion"
    ]


def _nodes(words: str) -> list[str]:
    return [node.replace("\\", "") for node in words.removeprefix("/^(").split(")$")[0].split("|")]


def judged(subject: Subject, **planted: Any) -> tuple[Judgement, StandIn]:
    service = StandIn(subject, **planted)
    return judge(subject, service), service  # type: ignore[arg-type] # what is asked is all of it


def project_of(folder: Path, form: str = "evpn", **systems: str) -> Project:
    """Return the example in a form, with some switches of other systems."""
    data = yaml.safe_load((TENANTS / "fabric.yaml").read_text(encoding="utf-8"))
    data["tenancy"]["form"] = form
    if systems:
        data["platforms"] = {"leaf": {"sku": EOS, "host_ports": 16}, "spine": {"sku": EOS}}
        data["speeds"] = {"host_gbps": 400, "uplink_gbps": 400}
        data["tenancy"]["vteps"] = "10.253.0.0/24"
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {"names": name, "sku": MODELS[system], **deepcopy(MORE.get(system, {}))}
        for name, system in systems.items()
    ]
    if rows:
        text = yaml.safe_dump({"devices": rows})
        (folder / "devices").mkdir()
        (folder / "devices" / "models.yaml").write_text(text, encoding="utf-8")
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return Project(folder)


def test_what_is_asked() -> None:
    judgement, service = judged(example_subject("tenants"))
    assert judgement.breaches == ()
    assert asked_of(service) == ASKED
    assert (judgement.tenants, judgement.not_asked) == (2, ())
    assert (judgement.nics, judgement.pairs) == (7, 4 * 3 + 3 * 2)


def test_what_is_asked_where_tenants_stay_on_a_leaf(tmp_path: Path) -> None:
    judgement, service = judged(subject_of(*with_files(project_of(tmp_path / "i", "local"))))
    assert judgement.breaches == ()
    assert asked_of(service) == ASKED_LOCAL


def test_what_is_asked_of_several_systems(tmp_path: Path) -> None:
    project = project_of(tmp_path / "i", "local", **{"su1-rail0": "nxos", "su2-rail0": "junos"})
    judgement, service = judged(subject_of(*with_files(project)))
    assert judgement.breaches == ()
    assert asked_of(service) == ASKED_LOCAL
    assert {"nxos", "junos", "eos"} == {
        project.devices[name].platform for name in service.written.forms
    }


def test_nothing_is_asked_of_a_fabric_without_tenants() -> None:
    service = StandIn(example_subject("demo"))
    assert judge(service.subject, service).tenants == 0  # type: ignore[arg-type]
    assert questions.VRFS not in service.asked
    assert {ends for _, _, ends in asked_of(service)} == {LOST, ARRIVED}
    assert len(asked_of(service)) == 2


@pytest.mark.parametrize("name", MIXED)
def test_whose_tenants_are_not_read(tmp_path: Path, name: str) -> None:
    systems, form, unread = MIXED[name]
    assert unread_tenants(project_of(tmp_path / "i", form, **systems).devices) == unread


def test_sessions_over_ports_take_the_text_of_every_switch(tmp_path: Path) -> None:
    project = project_of(tmp_path / "i", "local", spine01="sonic")
    devices = {
        name: replace(design, ports=tuple(replace(port, address="") for port in design.ports))
        for name, design in project.devices.items()
    }
    (reason,) = unread_tenants(devices)
    assert reason.startswith("sessions over ports join systems")


#: Planted flows and losses, and what is found: rule, switch, port, words.
PLANTED: dict[str, tuple[dict[str, Any], list[tuple[str, str, str, str]]]] = {
    "a NIC of another tenant": (
        {"flows": (("gpu001-eth1", "10.64.0.35", "gpu004-eth1"),)},
        [
            (
                *("BAT022", "su1-rail0", "Ethernet1/1"),
                "packets of gpu001 eth1, of tenant red, arrive at gpu004 eth1, of tenant blue",
            )
        ],
    ),
    "a loopback": (
        {"flows": (("gpu004-eth1", "10.255.0.2", "spine02"),)},
        [
            (
                *("BAT023", "su2-rail0", "Ethernet2/1"),
                "packets of gpu004 eth1, of tenant blue, arrive at 10.255.0.2 of spine02",
            )
        ],
    ),
    "a NIC of the same tenant is lost": (
        {"lost": (("gpu002-eth2", "10.64.0.35"),)},
        [
            (
                *("BAT024", "su1-rail1", "Ethernet2/1"),
                "packets of gpu002 eth2 to gpu004 eth1 end at gpu004-eth1: ACCEPTED",
            )
        ],
    ),
    "a session without EVPN routes": (
        {"session": ("su1-rail0", "10.255.0.1")},
        [
            (
                *("BAT026", "su1-rail0", ""),
                "the EVPN session with spine01 does not come up: EVPN routes are not exchanged",
            )
        ],
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_answer_is_a_finding(name: str) -> None:
    planted, expected = PLANTED[name]
    judgement, _ = judged(example_subject("tenants"), **planted)
    assert [
        (item.rule, item.device, item.port, item.message) for item in judgement.breaches
    ] == expected


def test_a_port_in_the_vrf_of_another_tenant() -> None:
    pattern = r"(?s)(?<=interface Ethernet1/1\n)(.*?)vrf Vrf17"
    subject = eos("su1-rail0", pattern, r"\1vrf Vrf18")(example_subject("tenants"))
    breaches = judged(subject)[0].breaches
    assert {item.rule for item in breaches} == {"BAT021", "BAT022", "BAT024"}
    (port,) = (item for item in breaches if item.rule == "BAT021")
    assert (port.device, port.port) == ("su1-rail0", "Ethernet1/1")
    assert port.message == "the port is in VRF Vrf18, planned is Vrf17"
    lines = subject.texts["su1-rail0"]["startup-config"].splitlines()
    assert lines[port.line - 1] == "interface Ethernet1/1"


def test_a_failure_is_asked_about_too() -> None:
    subject = example_subject("tenants")
    flow = ("gpu001-eth1", "10.64.0.35", "gpu004-eth1")
    service = StandIn(subject, flows=(flow,))
    failures = list(scenarios(subject.fabric, ["switch:su2-rail1"]))
    assert len(failures) == 1
    judge(subject, service, failures)  # type: ignore[arg-type]
    left = [node for node in RED if node != "gpu003-eth2"]
    assert asked_of(service)[len(ASKED) :] == [
        (left, [item for item in OF_RED if item != "10.64.128.33"], LOST),
        (left, [item for item in OF_RED if item != "10.64.128.33"], ARRIVED),
        *ASKED[2:4],
        (left, OF_BLUE, ARRIVED),
        (left, SWITCHES, ARRIVED),
        *ASKED[6:],
    ]


def test_an_address_of_two_tenants_is_not_asked_about() -> None:
    plant = nic("gpu004", "eth1", lambda _, item: addressed(item, address="10.64.0.1"))
    twice = [
        {"Node": {"name": node}, "VRF": "default", "Interface": "eth1", "IP": "10.64.0.1"}
        for node in ("gpu001-eth1", "gpu004-eth1")
    ]
    judgement, service = judged(plant(example_subject("tenants")), duplicates=twice)
    assert judgement.breaches == ()
    assert [(ends, way) for _, ends, way in asked_of(service)] == [
        (OF_RED[1:], LOST),
        (OF_RED[1:], ARRIVED),
        ([OF_BLUE[0], OF_BLUE[2]], LOST),
        ([OF_BLUE[0], OF_BLUE[2]], ARRIVED),
        ([OF_BLUE[0], OF_BLUE[2]], ARRIVED),
        (SWITCHES, ARRIVED),
        (OF_RED[1:], ARRIVED),
        (SWITCHES, ARRIVED),
    ]
    reason = (
        "the address is in a subnet of another tenant, and an answer does not say in which VRF "
        "it arrived"
    )
    assert judgement.not_asked == (
        f"red: who reaches gpu001 eth1: {reason}",
        f"blue: who reaches gpu004 eth1: {reason}",
    )


def test_an_address_twice_in_one_tenant_is_a_finding() -> None:
    twice = [
        {"Node": {"name": node}, "VRF": "default", "Interface": "eth1", "IP": "10.64.0.1"}
        for node in ("gpu001-eth1", "gpu003-eth1")
    ]
    judgement, _ = judged(example_subject("tenants"), duplicates=twice)
    assert [item.rule for item in judgement.breaches] == ["BAT008"]


def test_lines_about_the_lossless_class_of_tunnels_are_harmless() -> None:
    text = example_subject("tenants").texts["su1-rail0"]["startup-config"]
    lines = [line for line in text.splitlines() if line.startswith("   vxlan ")]
    form = snapshot_writers["eos"]
    assert [line.split()[1] for line in lines if form.is_harmless(line)] == ["qos"] * 3
    assert len(lines) == 3 + 4


def test_a_nic_without_a_tenant_reaches_switches_and_no_tenant(tmp_path: Path) -> None:
    text = (TENANTS / "fabric.yaml").read_text(encoding="utf-8")
    text = text.replace("unassigned: quarantine", "unassigned: keep")
    (tmp_path / "fabric.yaml").write_text(text, encoding="utf-8")
    flow = ("gpu004-eth2", "10.64.0.1", "gpu001-eth1")
    judgement, service = judged(subject_of(*with_files(Project(tmp_path))), flows=(flow,))
    alone, address = ["gpu004-eth2"], ["10.64.128.35"]
    assert asked_of(service) == [
        (alone, address, LOST),
        (alone, address, ARRIVED),
        *ASKED[:4],
        (RED, [*OF_BLUE, *address], ARRIVED),
        (RED, SWITCHES, ARRIVED),
        (BLUE, [*OF_RED, *address], ARRIVED),
        (BLUE, SWITCHES, ARRIVED),
        (alone, sorted([*OF_RED, *OF_BLUE], key=IPv4Address), ARRIVED),
    ]
    assert [(item.rule, item.port, item.message) for item in judgement.breaches] == [
        (
            "BAT022",
            "Ethernet2/1",
            "packets of gpu004 eth2, without a tenant, arrive at gpu001 eth1, of tenant red",
        )
    ]


def test_services_are_not_asked_about(tmp_path: Path) -> None:
    text = (TENANTS / "fabric.yaml").read_text(encoding="utf-8")
    text = text.replace("id: 17, hosts", "id: 17, services: [blue], hosts")
    text = text.replace("name: blue, id: 18,", "name: blue, id: 18, shared: true,")
    (tmp_path / "fabric.yaml").write_text(text, encoding="utf-8")
    project = Project(tmp_path)
    example = example_subject("tenants")
    subject = replace(example, fabric=project.fabric)
    judgement, service = judged(subject)
    assert [ends for _, ends, _ in asked_of(service)[4:]] == [SWITCHES, SWITCHES]
    assert [line.split(":")[0] for line in judgement.not_asked] == ["red", "blue"]


def prove(
    folder: Path, engine: str, monkeypatch: pytest.MonkeyPatch, subject: Subject | None = None
) -> Ended:
    """Run the command before a stand-in."""

    def service(*_: object, **__: object) -> StandIn:
        assert subject is not None
        return StandIn(subject)

    monkeypatch.setattr("fabric.prove.batfish.client.Service", service)
    return run("prove", folder, "--batfish", "127.0.0.1:9", "--engine", engine)


@pytest.mark.parametrize("engine", ["batfish", "both"])
def test_what_is_said_of_tenants(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = prove(TENANTS, engine, monkeypatch, example_subject("tenants"))
    assert ended.code == 0, ended.said
    assert "Batfish: 18 pairs of 7 NICs that the design connects were asked for" in ended.err
    assert "Batfish: 2 tenants were asked for, each about NICs of all others" in ended.err
    assert "unconfirmed: the questions about tenants were not tried against a Batfish" in ended.err
    assert ("2 of 2 pairs of them are isolated" in ended.err) == (engine == "both")
    assert ("not proved: services, management, VNIs" in ended.err) == (engine == "batfish")
    assert "not proved: QoS of the tunnel" in ended.err


def test_tenants_that_batfish_does_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "i"
    project_of(folder, "local", **{"su1-rail0": "sonic"})
    line = "tenants not read by Batfish: Batfish has no table VRF of CONFIG_DB: su1-rail0"
    alone = prove(folder, "batfish", monkeypatch)
    assert alone.code == 2
    assert line in " ".join(alone.said.split())
    assert "use --engine own" in alone.said
    assert re.search(r"fabric\.yaml:\d+", alone.said)
    both = prove(folder, "both", monkeypatch)
    assert both.code == 0, both.said
    assert line in both.err
    assert "2 of 2 pairs of them are isolated" in both.err
    assert "asked for" not in both.err
    assert run("prove", folder).out.replace("not asked for: --engine is own", "") == (
        both.out.replace("Batfish does not read the tenants of this fabric", "")
    )

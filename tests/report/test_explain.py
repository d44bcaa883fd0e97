"""explain: the value, its place, the rules, the template and the source of a line."""

from __future__ import annotations

import re
import shutil
from functools import cache
from pathlib import Path

import pytest

from fabric.change.model import Change, Risk
from fabric.core.errors import InputError
from fabric.report.explain_text import texts
from fabric.report.explain_values import Spot
from fabric.report.explain_values import values as of_field
from fabric.report.origin import Origins
from fabric.workflow.explain import device_artefacts, explain
from fabric.workflow.init import example
from fabric.workflow.project import Project
from tests.cases import each
from tests.change.labs import INVENTORY, LEAF, write_inventory
from tests.render.nxos_designs import CHANGES as NXOS_CHANGES
from tests.report.diffs import edited

ROOT = Path(__file__).parents[2]
OVERRIDES = """\
devices:
  - names: su1-rail0
    lossless: {ecn: {kmax_bytes: 1400000}}
    ports:
      Ethernet128: {cable_m: 5, lossless: {watchdog: {detection_ms: 800}}}
"""


KMAX = ("fabric.lossless.ecn.kmax_bytes", "3000000", "fabric.yaml:45:30")
MTU = ("fabric.lossless.mtu.port_bytes", "9100", "rocefab default")
OWN_MTU = ("devices[7].ports['Ethernet1/1'].lossless.mtu.port_bytes", "9216", "systems.yaml:")
#: device, path, before, after -> file of the line, value
CASES = {
    "row of SONiC": (
        ("sonic-leaf", "WRED_PROFILE|AZURE_LOSSLESS|green_max_threshold", "900000", "3000000"),
        "sonic-leaf/config_db.json",
        KMAX,
    ),
    "port of SONiC": (
        ("sonic-leaf", "PORT|Ethernet0|mtu", "9000", "9100"),
        "sonic-leaf/config_db.json",
        MTU,
    ),
    "EOS": (
        ("eos-leaf", "interface Ethernet1/1: mtu 9100", "", "mtu 9100"),
        "eos-leaf/startup-config.eos",
        MTU,
    ),
    "NX-OS, own value of a port": (
        ("nxos-leaf", "interface Ethernet1/1: mtu 9216", "", "mtu 9216"),
        "nxos-leaf/running-config.nxos",
        OWN_MTU,
    ),
    "NX-OS, another port": (
        ("nxos-leaf", "interface Ethernet1/17: mtu 9100", "", "mtu 9100"),
        "nxos-leaf/running-config.nxos",
        MTU,
    ),
    "Junos": (
        ("junos-leaf", "interfaces et-0/0/0 mtu 9114", "", "set interfaces et-0/0/0 mtu 9114"),
        "junos-leaf/junos.set",
        MTU,
    ),
    "Cumulus Linux": (
        ("cumulus-leaf", "interface swp1 link mtu", "9000", "9100"),
        "cumulus-leaf/config.nv",
        MTU,
    ),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
    folder = write_inventory(tmp_path_factory.mktemp("explain") / "inventory", INVENTORY)
    (folder / "devices").mkdir()
    (folder / "devices" / "leaf.yaml").write_text(OVERRIDES)
    return Project(folder)


def values(project: Project, device: str, text: str) -> dict[str, tuple[str, str]]:
    return {v.field: (v.value, v.where) for v in explain(project, device, text)[0].values}


@pytest.fixture(scope="module")
def nxos_leaf(tmp_path_factory) -> Project:
    folder = edited(tmp_path_factory.mktemp("classes"), *NXOS_CHANGES["demo"].items())
    shutil.rmtree(folder / "devices")  # it names ports of SONiC
    return Project(folder)


@each(
    ("text", "fields"),
    [
        ("match dscp 26", ["roce_dscp"]),
        ("match dscp 48", ["cnp_dscp"]),
        ("set qos-group 3", ["traffic_class"]),
        ("set qos-group 7", ["cnp_traffic_class"]),
        ("set qos-group 0", ["traffic_class", "cnp_traffic_class"]),
    ],
)
def test_a_line_of_one_traffic_names_its_fields_alone(nxos_leaf, text, fields) -> None:
    read = values(nxos_leaf, "su1-rail0", text)
    assert [field.removeprefix("fabric.lossless.") for field in read] == fields


@each(
    ("text", "lines"),
    [
        ("cnp", {"class-map type qos match-any CNP", "match dscp 48", "class CNP"}),
        ("Match DSCP", {"match dscp 26", "match dscp 48"}),
        ("cnp_dscp", {"match dscp 48"}),
    ],
)
def test_capitals_and_small_letters_are_the_same(nxos_leaf, text, lines) -> None:
    """A field of the inventory comes first, with the lines that it decides alone."""
    read = {answer.line for answer in explain(nxos_leaf, "su1-rail0", text)}
    assert lines <= read
    assert "match dscp 26" in lines or "match dscp 26" not in read


def test_value_of_the_fabric_with_its_place(project):
    result = values(project, LEAF, "green_min_threshold")
    value, where = result["fabric.lossless.ecn.kmin_bytes"]
    assert value == "150000"
    assert where.startswith("fabric, ")
    assert where.endswith("fabric.yaml:10:9")


def test_override_of_a_device_is_named(project):
    (field, (value, where)), *_ = values(project, LEAF, "green_max_threshold").items()
    assert field == "devices[0].lossless.ecn.kmax_bytes"
    assert value == "1400000"
    assert where.startswith(f"device {LEAF}, ")
    assert where.endswith("leaf.yaml:3:22")


def test_override_of_a_port_is_named(project):
    result = values(project, LEAF, "CABLE_LENGTH")
    assert result["devices[0].ports.Ethernet128.cable_m"][0] == "5"
    assert result["fabric.cables.uplink_m"][0] == "40"


def test_override_of_the_other_end_of_a_cable_is_named(project):
    """It holds for the cable, whose length the switch at the other end is told too."""
    ends = {port.name: port.peer for port in project.devices["spine01"].ports}
    assert ends["Ethernet1/1"] == LEAF
    spot = Spot("Ethernet1/1", frozenset())
    (own,) = of_field(project, "spine01", "devices.ports.cable_m", spot)
    assert (own.field, own.value) == ("devices[0].ports.Ethernet128.cable_m", "5")
    for device, port in (("spine01", "Ethernet1/2"), (LEAF, "Ethernet136")):
        assert of_field(project, device, "devices.ports.cable_m", Spot(port, frozenset())) == []


def test_policy_of_a_port_counts_on_its_own_line(project):
    own = values(project, LEAF, "PFC_WD|Ethernet128")
    value, where = own["devices[0].ports.Ethernet128.lossless.watchdog.detection_ms"]
    assert value == "800"
    assert where.startswith("port Ethernet128, ")
    other = values(project, LEAF, "PFC_WD|Ethernet0")
    assert other["fabric.lossless.watchdog.detection_ms"] == ("400", "rocefab default")


def test_lines_of_a_tenant_name_its_values() -> None:
    tenants = Project(ROOT / "inventory/tenants")
    for text, name, number in (("vrf instance Vrf17", "red", 0), ("vrf instance Vrf18", "blue", 1)):
        result = values(tenants, LEAF, text)
        assert result[f"fabric.tenants[{number}].id"][0] == str(17 + number)
        own = [field for field in result if field.startswith("fabric.tenants.")]
        assert all(field.startswith(f"fabric.tenants[{number}].") for field in own), own
        assert values(tenants, LEAF, f"description {name}")[f"fabric.tenants[{number}].name"]


def test_a_value_that_is_not_set_and_a_list_are_words(project):
    (none,) = {
        value.value
        for line in explain(project, "su1-rail0", "BUFFER_PROFILE")
        for value in line.values
        if value.field == "fabric.lossless.lossy.reserved_bytes"
    }
    assert none == "not set"
    (servers,) = {
        value.value
        for line in explain(project, "su1-rail0", "NTP_SERVER")
        for value in line.values
        if value.field == "fabric.management.ntp_servers"
    }
    assert servers == "1 entry"


def test_default_is_called_a_default(project):
    assert values(project, LEAF, "pfc_enable")["fabric.lossless.pfc_priority"] == (
        "3",
        "rocefab default",
    )


@pytest.mark.parametrize(
    ("text", "depends"),
    {
        "a switch": ("nv set router bgp enable", True),
        "a branch": ("nv set service lldp tx-interval", True),
        "what is removed": ("nv unset service ntp mgmt server", True),
        "an address": ("nv set interface lo ip address", True),
        "the same words everywhere": ("nv set interface swp1 link state up", False),
    }.values(),
)
def test_lines_that_differ_between_releases_name_the_release(text: str, depends: bool) -> None:
    answers = explain(Project(example("ipv6")), "su1-rail0", text)
    assert answers
    fields = {value.field for answer in answers for value in answer.values}
    assert ("fabric.platforms.leaf.release" in fields) is depends


def test_rules_of_the_platform_stand_beside_the_value(project):
    sonic = explain(project, LEAF, "green_min_threshold")[0].rules
    eos = explain(project, "spine01", "random-detect ecn minimum")[0].rules
    assert {"QOS001", "QOS002", "QOS003", "SON010"} <= set(sonic)
    assert "EOS005" in eos
    assert not [rule for rule in sonic if rule.startswith("EOS")]
    assert not [rule for rule in eos if rule.startswith("SON")]


@pytest.mark.parametrize(
    ("inventory", "device", "text", "fields"),
    [
        ("demo", "spine01", "router bgp", "spine_asn"),
        ("demo", "spine01", "remote-as", "leaf_asn_first"),
        ("demo", "su1-rail0", "bgp_asn", "leaf_asn_first"),
        ("three-tier", "east-spine01", "bgp_asn", "pod_asn_first"),
        ("three-tier", "core01", "bgp_asn", "super_spine_asn"),
    ],
)
def test_as_number_follows_from_the_field_of_its_switch(inventory, device, text, fields):
    result = values(Project(example(inventory)), device, text)
    assert [field for field in result if "asn" in field] == [f"fabric.bgp.{fields}"]


def test_as_number_of_an_override(tmp_path):
    folder = write_inventory(tmp_path / "inventory", INVENTORY)
    (folder / "devices").mkdir()
    (folder / "devices" / "own.yaml").write_text("devices:\n  - {names: spine01, asn: 65001}\n")
    project = Project(folder)
    for device, text in (("spine01", "router bgp"), ("su1-rail0", "65001")):
        result = values(project, device, text)
        assert [field for field in result if "asn" in field] == ["devices[0].asn"], device


def test_line_of_a_host(project):
    answer = explain(project, "gpu1", "--pfc")[0]
    assert answer.subject.startswith("hosts/gpu1/rootfs/etc/rocefab/apply.sh:")
    assert answer.template == "templates/host/nic_mlx5_ofed.j2"
    assert "mlnx_qos" in answer.source


def test_what_one_host_is_like_stands_at_its_override(tmp_path):
    text = INVENTORY.replace("hosts: gpu1", "hosts: 'gpu[1-2]'").replace(
        "host: {", "host: {tuning: {governor: performance}, nic: {pause_storm_ms: 100}, "
    )
    folder = write_inventory(tmp_path / "inventory", text)
    (folder / "hosts").mkdir()
    own = "hosts:\n  - names: gpu1\n    traits: {nic: {pause_storm_ms: 200}}\n"
    (folder / "hosts" / "one.yaml").write_text(own)
    project = Project(folder)
    result = values(project, "gpu1", "pfc-prevention-tout")
    assert result["hosts[0].traits.nic.pause_storm_ms"][0] == "200"
    assert "one.yaml:3" in result["hosts[0].traits.nic.pause_storm_ms"][1]
    result = values(project, "gpu2", "pfc-prevention-tout")
    assert result["fabric.host.nic.pause_storm_ms"][0] == "100"
    assert "fabric.host.tuning.governor" in values(project, "gpu1", "scaling_governor")


@pytest.mark.parametrize("device", [LEAF, "spine01"])
@pytest.mark.parametrize("name", ["kmin_bytes", "ecn.kmin_bytes", "fabric.lossless.ecn.kmin_bytes"])
def test_field_of_the_inventory(project, device, name):
    answers = explain(project, device, name)
    assert all("fabric.lossless.ecn.kmin_bytes" in {v.field for v in a.values} for a in answers)
    own = {LEAF: '"green_min_threshold": "', "spine01": "random-detect ecn minimum-threshold"}
    assert all(own[device] in answer.line for answer in answers)


@pytest.mark.parametrize("device", [LEAF, "spine01", "gpu1"])
def test_every_kind_of_line_without_a_text(project, device):
    answers = explain(project, device, "")
    assert len(answers) > 10
    assert all(answer.source and answer.template for answer in answers)


@pytest.mark.parametrize(
    ("device", "text", "message"),
    [
        ("nobody", "", "device 'nobody' does not exist"),
        (LEAF, "no such text", "no line of su1-rail0 contains"),
        (LEAF, "kmin_byte", "did you mean 'lossless.ecn.kmin_bytes'"),
        (LEAF, "kmim", "did you mean 'lossless.ecn.kmin_bytes'?"),
        ("spine01", "kmin", "did you mean 'lossless.ecn.kmin_bytes'?"),
        ("spine01", "watchdgo", "did you mean 'lossless.watchdog'?"),
        (LEAF, "Ethernet1", "su1-rail0 has no port 'Ethernet1'; did you mean 'Ethernet0'?"),
        (LEAF, "headroom", "`rocefab explain INVENTORY su1-rail0 Ethernet0` shows it for a port"),
        ("gpu1", "kmin", "`rocefab explain INVENTORY su1-rail0 Ethernet0` shows it for a port"),
        ("spine01", "!", "'!' separates lines of spine01 and sets nothing; explain a line next"),
        ("spine01", "Ethernet1", "has no port 'Ethernet1'; did you mean 'Ethernet1/1'?"),
        (LEAF, "QOS038", "QOS038 is a rule, no line of su1-rail0; `rocefab explain QOS038` shows"),
        (LEAF, "no such text", "`rocefab explain INVENTORY su1-rail0` lists each kind of line"),
    ],
)
def test_nothing_to_explain(project, device, text, message):
    with pytest.raises(InputError) as caught:
        explain(project, device, text)
    assert message in str(caught.value.findings[0])


@pytest.mark.parametrize(
    ("device", "fix"),
    [("spne01", "did you mean 'spine01'?"), ("zz", "`rocefab show links` lists them")],
)
def test_unknown_device(project, device, fix):
    with pytest.raises(InputError) as caught:
        explain(project, device, "bgp")
    assert fix in str(caught.value.findings[0])


def test_separators_are_no_lines_of_a_section(project):
    assert "!" not in {answer.line for answer in explain(project, "spine01", "router bgp")}


def test_a_port_is_no_port_whose_name_begins_with_it(project):
    """It has no cable, so that one row alone is about it."""
    (answer,) = explain(project, LEAF, "Ethernet8")
    assert answer.line.startswith('"Ethernet8": {"alias"')


@pytest.mark.parametrize(
    ("inventory", "device", "port", "fields"),
    [
        ("demo", "su1-rail0", "Ethernet0", {"host.interfaces", "units"}),
        ("demo", "su1-rail0", "Ethernet128", {"units", "spines.count", "spines.links_per_leaf"}),
        ("demo", "spine01", "Ethernet1/1", {"units", "spines.count", "spines.links_per_leaf"}),
        ("explicit", "b06-sw1", "Ethernet0", {"host.interfaces", "units", "switches", "design"}),
        ("explicit", "b06-sw1", "Ethernet240", {"units", "switches", "design"}),
    ],
)
def test_fields_of_a_description(inventory: str, device: str, port: str, fields: set[str]) -> None:
    """Names of devices and what cables connect: the text of a description is made of them."""
    answers = explain(Project(example(inventory)), device, "description")
    of_port = re.compile(rf"(^|[\s'\"]){port}['\"]")
    deciding = [one for one in answers if of_port.search(f"{one.section} {one.line}")]
    assert {value.field for one in deciding for value in one.values} >= {
        f"fabric.{field}" for field in fields
    }
    assert not any("not set" in value.value for one in deciding for value in one.values)


#: Ports without a cable, and the fields that decide their rows: how many have one, and their speed.
UNUSED = {
    "a leaf": (
        *("demo", "su1-rail0", "Ethernet16"),
        ("spines.count", "spines.links_per_leaf", "speeds.uplink_gbps", "platforms.leaf.sku"),
    ),
    "a spine": (
        *("three-tier", "east-spine01", "Ethernet64"),
        (
            *("spines.links_per_leaf", "super_spines.count", "super_spines.links_per_spine"),
            *("speeds.uplink_gbps", "platforms.spine.sku"),
        ),
    ),
    "a super-spine": (
        *("three-tier", "core01", "Ethernet16"),
        ("super_spines.links_per_spine", "speeds.uplink_gbps"),
    ),
    "a spine by its cables": (
        *("explicit", "core-w", "Ethernet248"),
        ("design", "speeds.uplink_gbps", "platforms.spine.sku"),
    ),
}


@pytest.mark.parametrize(("name", "device", "port", "fields"), UNUSED.values(), ids=UNUSED)
def test_fields_of_a_port_without_a_cable(
    name: str, device: str, port: str, fields: tuple[str, ...]
) -> None:
    """The speed of NICs decides nothing at a spine, nor at any port that no cable is in."""
    read = values(Project(example(name)), device, f"PORT|{port}|speed")
    assert [field.removeprefix("fabric.") for field in read] == [*fields]


def test_fields_of_the_ports_that_a_line_is_about(project):
    """A row about all ports has the fields of both kinds; a leaf has no model of a spine."""
    lengths = [one for one in explain(project, LEAF, "CABLE_LENGTH") if "AZURE" in one.line]
    fields = {value.field for one in lengths for value in one.values}
    assert {"fabric.cables.host_m", "fabric.cables.uplink_m"} <= fields
    port = [one for one in explain(project, LEAF, "Ethernet128") if "description" in one.line]
    fields = {value.field for one in port for value in one.values}
    assert "fabric.host.interfaces" not in fields
    every = {value.field for one in explain(project, LEAF, "") for value in one.values}
    assert not any(field.startswith("fabric.platforms.spine") for field in every)
    assert any(field.startswith("fabric.platforms.leaf") for field in every)


@cache
def origins(device: str) -> Origins:
    project = Project(example("mixed"))
    return Origins(project, device, device_artefacts(project, device))


@pytest.mark.parametrize("name", CASES)
def test_line_and_value(name):
    (device, path, before, after), file, (field, value, where) = CASES[name]
    result = origins(device).of(Change(path, before, after, Risk.HARMLESS))
    assert result is not None
    assert file in result.subject
    assert (result.values[0].field, result.values[0].value) == (field, value)
    assert where in result.values[0].where


@pytest.mark.parametrize(
    "change",
    [
        Change("interface Ethernet1/1: mtu 9000", "mtu 9000", "", Risk.HARMLESS),
        Change("interface Ethernet9/9: mtu 1", "", "mtu 1", Risk.HARMLESS),
    ],
)
def test_what_nobody_planned_has_none(change):
    assert origins("eos-leaf").of(change) is None


def test_a_line_that_stands_twice_is_told_by_its_section():
    ports = ("Ethernet1/1", "Ethernet17/1")
    built = [Change(f"interface {p}: mtu 9100", "", "mtu 9100", Risk.HARMLESS) for p in ports]
    first, second = (origins("eos-leaf").of(change) for change in built)
    assert first is not None
    assert second is not None
    assert int(first.subject.rpartition(":")[2]) < int(second.subject.rpartition(":")[2])


def test_each_kind_of_line_is_shown_once_with_its_text() -> None:
    """Of NX-OS, whose book has lines of a pause buffer, which this inventory does not set."""
    mixed = Project(ROOT / "inventory" / "mixed")
    nxos = next(name for name, one in mixed.devices.items() if one.platform == "nxos")
    answers = explain(mixed, nxos, "")
    assert all(answer.line and answer.subject.count(":") == 1 for answer in answers)
    assert len({(answer.section, answer.line) for answer in answers}) == len(answers) > 20
    assert "templates/nxos/pause_buffer.j2" not in {answer.template for answer in answers}


def test_lines_that_are_alike_are_shown_once() -> None:
    mixed = Project(ROOT / "inventory" / "mixed")
    nxos = next(name for name, one in mixed.devices.items() if one.platform == "nxos")
    every = explain(mixed, nxos, "no shutdown")
    answers = [one for one in every if "interfaces.j2" in one.template]
    (shown,) = texts(answers)
    assert len(answers) > 2
    assert f"{answers[0].subject}, and {len(answers) - 1} lines like it\n" in shown


def test_like_lines_with_other_numbers_show_their_section() -> None:
    mixed = Project(ROOT / "inventory" / "mixed")
    nxos = next(name for name, one in mixed.devices.items() if one.platform == "nxos")
    (shown,) = texts(explain(mixed, nxos, "bandwidth remaining"))
    blocks = shown.split("      class type queuing ")
    lossless = next(block for block in blocks if block.startswith("c-out-8q-q3\n"))
    assert lossless.startswith("c-out-8q-q3\n        bandwidth remaining percent 50\n")
    assert shown.count("lossless.scheduler.lossless_percent") == 1


def test_a_comment_is_no_line_of_a_field() -> None:
    answers = explain(Project(ROOT / "inventory" / "demo"), "gpu001", "roce_dscp")
    assert answers
    assert not [answer for answer in answers if answer.line.startswith("#")]


def test_a_line_of_a_host_is_of_the_driver_of_its_nics(tmp_path: Path) -> None:
    """Files of several drivers have the same line."""
    copy = edited(tmp_path, ("  gpus: 2\n", "  gpus: 2\n  nic: {driver: mlx5}\n"))
    for text in ("cm_default", "roce_dscp"):
        answers = explain(Project(copy), "gpu001", text)
        templates = {answer.template for answer in answers if "/nic_" in answer.template}
        assert templates == {"templates/host/nic_mlx5.j2"}, text


def test_a_field_that_is_not_set_is_named() -> None:
    """The switch gets the default of its system."""
    (answer,) = explain(Project(ROOT / "inventory" / "demo"), "spine01", "mac_ageing_s")
    assert [(value.field, value.value) for value in answer.values] == [
        ("fabric.arp.mac_ageing_s", "not set")
    ]


#: Device and name -> value, note and a rule of the only answer.
UNRENDERED = {
    "times of NX-OS": (
        ("nxos-leaf", "detection_ms"),
        ("200", "set, not rendered: Cisco NX-OS has no line for it", "NXO006"),
    ),
    "an action of Comware 7": (
        ("comware7-leaf", "lossless.watchdog.action"),
        ("drop", "set, not rendered: H3C Comware 7 has no line for it", "QOS023"),
    ),
    "a cable of EOS": (
        ("eos-leaf", "cables.uplink_m"),
        ("40", "set, not rendered: Arista EOS has no line for it", "QOS021"),
    ),
    "no line for so few paths": (
        ("junos-leaf", "bgp.max_paths"),
        ("64", "not rendered: Juniper Junos needs no line for it here", "JUN013"),
    ),
    "a default": (
        ("sonic-leaf", "mac_ageing_s"),
        ("not set", "not rendered: SONiC has no line for it", "ARP002"),
    ),
}


@pytest.mark.parametrize("name", UNRENDERED)
def test_a_value_that_the_system_does_not_render(name: str) -> None:
    question, (value, note, rule) = UNRENDERED[name]
    (answer,) = explain(Project(ROOT / "inventory" / "mixed"), *question)
    assert ([own.value for own in answer.values], answer.note) == ([value], note)
    assert rule in answer.rules
    (text,) = texts([answer])
    assert note in text
    assert "template" not in text
    assert "\n    \n" not in text

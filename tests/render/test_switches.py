"""What both renderers share, and what each refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabric.core.errors import RenderError
from fabric.design.model import DeviceDesign
from fabric.platforms import platforms
from fabric.render import render_device, renderers
from fabric.render.engine import template_folder
from fabric.systems.eos import render as eos
from fabric.systems.sonic import render as sonic
from fabric.systems.sonic.ownership import MERGED_TABLES, OWNED_TABLES
from fabric.systems.sonic.render import check_json, join_tables
from tests.render.designs import design, variant
from tests.systems.tenant_fabrics import project

COMPUTED = {"sku: ACS-MSN4700": "sku: ACS-MSN4700, buffer_model: dynamic"}
UNNUMBERED = {"bgp: {": "bgp: {peering: unnumbered, "}
HOSTILE = ['a "quoted" \\ text', "{{ 7*7 }}", "{% include 'x' %}", "' ; reload now", "! x", "$(id)"]


def _config(device: DeviceDesign) -> Any:
    return json.loads(render_device(device)[0].content)


def _described(device: DeviceDesign, text: str) -> DeviceDesign:
    return replace(device, ports=(replace(device.ports[0], description=text), *device.ports[1:]))


def test_every_platform_has_a_renderer() -> None:
    """A platform without a renderer would be found out by a user."""
    render_device(design("demo", "spine01"))
    assert list(renderers) == list(platforms)


def test_an_unknown_platform_is_a_render_error() -> None:
    """Not a KeyError."""
    with pytest.raises(RenderError, match="spine01: no renderer for platform 'ios'"):
        render_device(replace(design("demo", "spine01"), platform="ios"))


@pytest.mark.parametrize("module", [sonic, eos])
def test_every_template_is_used(module: Any) -> None:
    """A template in the folder that no renderer names would never be printed."""
    folder = template_folder() / module.__name__.split(".")[-2]
    names = {path.stem for path in folder.glob("*.j2")}
    others = {sonic.SYSCTL, sonic.FRONT} if module is sonic else set()
    assert names == set(module.FEATURES) | others


def test_artefacts_have_their_place() -> None:
    """Paths and kinds that the other rooms rely on."""
    found = [(a.kind, a.path) for a in render_device(design("demo", "su1-rail0"))]
    assert found == [
        ("config_db", "switches/su1-rail0/config_db.json"),
        ("sysctl", "switches/su1-rail0/zz-rocefab-neighbours.conf"),
    ]
    found = [(a.kind, a.path) for a in render_device(design("demo", "spine01"))]
    assert found == [("startup-config", "switches/spine01/startup-config.eos")]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_data_on_sonic(text: str) -> None:
    """A description comes back from the JSON as it was, and nothing else changes."""
    device = design("demo", "su1-rail0")
    plain, hostile = _config(device), _config(_described(device, text))
    assert hostile["PORT"]["Ethernet0"].pop("description") == text
    del plain["PORT"]["Ethernet0"]["description"]
    assert hostile == plain


def test_line_breaks_stay_data_on_sonic() -> None:
    """The inventory refuses them; were they to come, JSON escapes them."""
    text = 'x"},\n"Ethernet8": {"admin_status": "down'
    config = _config(_described(design("demo", "su1-rail0"), text))
    assert config["PORT"]["Ethernet0"]["description"] == text
    assert config["PORT"]["Ethernet8"]["admin_status"] == "up"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_data_on_eos(text: str) -> None:
    """A description changes its own line and no other."""
    device = design("demo", "spine01")
    plain = render_device(device)[0].text.splitlines()
    hostile = render_device(_described(device, text))[0].text.splitlines()
    changed = [line for old, line in zip(plain, hostile, strict=True) if old != line]
    assert changed == [f"   description {text}"]


def test_line_breaks_are_refused_on_eos() -> None:
    """They would begin a command."""
    device = _described(design("demo", "spine01"), "x\nno ip routing")
    with pytest.raises(RenderError, match=r"spine01: templates/eos/interfaces\.j2:\d+: "):
        render_device(device)


def test_sonic_writes_only_tables_that_rocefab_owns(tmp_path: Path) -> None:
    """A table that is not named as ours would be left on the switch when the design drops it."""
    mode = {"sku: ACS-MSN4700": 'sku: ACS-SN5600, breakouts: [{cages: "2", mode: 2x400G}]'}
    plain = variant(tmp_path / "plain", "demo", mode)["su1-rail0"]
    managed = variant(tmp_path / "managed", "demo", {**COMPUTED, **UNNUMBERED})
    vlans = "  host_prefix_length: 24\n  vlan_first: 101"
    routed = {vlans: "  vlan_per: none\n  advertise: leaf"}
    summed = variant(tmp_path / "summed", "demo", routed)
    tenants = project(tmp_path / "tenants", "sonic", "local").devices
    devices = [plain, *(one["su1-rail0"] for one in (managed, summed, tenants))]
    written = {table for device in devices for table in _config(device)}
    assert written == {*OWNED_TABLES, *MERGED_TABLES}


def test_sonic_sessions_without_addresses(tmp_path: Path) -> None:
    """As in the SONiC examples of the framework: ports are peers, routes need a policy."""
    changes = {"bgp: {": "bgp: {bfd: true, peering: unnumbered, "}
    config = _config(variant(tmp_path / "i", "demo", changes)["su1-rail0"])
    assert config["INTERFACE"]["Ethernet128"] == {"ipv6_use_link_local_only": "enable"}
    assert not [key for key in config["INTERFACE"] if "|" in key]
    assert config["BGP_NEIGHBOR"]["default|Ethernet128"]["peer_group_name"] == "FABRIC"
    group = config["BGP_PEER_GROUP"]["default|FABRIC"]
    assert (group["bfd"], group["capability_ext_nexthop"]) == ("true", "true")
    policy = config["BGP_PEER_GROUP_AF"]["default|FABRIC|ipv4_unicast"]
    assert policy == {"route_map_in": ["PERMIT"], "route_map_out": ["PERMIT"]}
    advertised = [key.split("|")[2] for key in config["BGP_GLOBALS_AF_NETWORK"]]
    assert advertised == ["10.255.0.129/32", "10.64.0.0/24"]


def test_sonic_writes_rows_of_broken_out_cages(tmp_path: Path) -> None:
    """Parts have the names, lanes and numbers of portconfig.py; whole cages have no row."""
    split = {"sku: ACS-MSN4700": 'sku: ACS-SN5600, breakouts: [{cages: "2", mode: 2x400G}]'}
    config = _config(variant(tmp_path / "inventory", "demo", split)["su1-rail0"])
    mode = "2x400G[200G,100G,50G,40G,25G,10G]"
    assert config["BREAKOUT_CFG"] == {"Ethernet8": {"brkout_mode": mode}}
    shown = ("alias", "lanes", "index", "subport")
    rows = {name: tuple(config["PORT"][name].get(field) for field in shown) for name in PARTS}
    assert rows == PARTS


PARTS = {
    "Ethernet0": ("etp1", "0,1,2,3,4,5,6,7", "1", None),
    "Ethernet8": ("etp2a", "8,9,10,11", "2", "1"),
    "Ethernet12": ("etp2b", "12,13,14,15", "2", "2"),
    "Ethernet16": ("etp3", "16,17,18,19,20,21,22,23", "3", None),
}


def test_sonic_without_pools_is_refused() -> None:
    """A lossless port needs a pool."""
    device = design("demo", "su1-rail0")
    device = replace(device, sku=replace(device.sku, pools=None))
    with pytest.raises(RenderError, match="su1-rail0: the buffer pools of ACS-MSN4700"):
        render_device(device)


@pytest.mark.parametrize("field", ["ingress_lossy_bytes", "egress_lossy_bytes"])
def test_sonic_with_shared_pools_is_refused(field: str) -> None:
    """Where lossy traffic draws from the lossless pools, other tables would be right."""
    device = design("demo", "su1-rail0")
    shared = replace(device.sku, pools=replace(device.sku.pools, **{field: None}))
    with pytest.raises(RenderError, match=r"^su1-rail0: lossy traffic of ACS-MSN4700 shares"):
        render_device(replace(device, sku=shared))


def test_unused_ports_carry_no_qos() -> None:
    """They are down and have no row beside PORT."""
    config = _config(design("demo", "su1-rail0"))
    assert config["PORT"]["Ethernet16"]["admin_status"] == "down"
    for table in ("PORT_QOS_MAP", "QUEUE", "BUFFER_PG", "BUFFER_QUEUE", "PFC_WD", "INTERFACE"):
        assert "Ethernet16" not in {key.partition("|")[0] for key in config[table]}, table
    assert "Ethernet16" not in config["CABLE_LENGTH"]["AZURE"]


OVERRIDES = """\
devices:
  - names: su1-rail0
    mac: "52:54:00:00:00:01"
    ports:
      Ethernet0: {lossless: {pfc: false}}
      Ethernet8: {cable_m: 301}
      Ethernet128: {lossless: {watchdog: {enabled: false}}}
      Ethernet136: {cable_m: 5, lossless: {dynamic_th: -2}}
"""


def test_port_overrides_on_sonic(tmp_path: Path) -> None:
    """PFC off, a cable beyond the vendor's table, no watchdog, another threshold."""
    config = _config(variant(tmp_path / "i", "demo", {}, OVERRIDES)["su1-rail0"])
    assert config["DEVICE_METADATA"]["localhost"]["mac"] == "52:54:00:00:00:01"
    qos, groups, queues = config["PORT_QOS_MAP"], config["BUFFER_PG"], config["BUFFER_QUEUE"]
    assert not {"pfc_enable", "pfcwd_sw_enable", "pfc_to_pg_map"} & set(qos["Ethernet0"])
    assert groups["Ethernet0|3"] == {"profile": "ingress_lossy_profile"}
    assert queues["Ethernet0|0-7"] == {"profile": "q_lossy_profile"}
    assert "Ethernet8|3" not in groups
    assert config["CABLE_LENGTH"]["AZURE"]["Ethernet8"] == "301m"
    assert qos["Ethernet128"]["pfc_enable"] == "3"
    assert "pfcwd_sw_enable" not in qos["Ethernet128"]
    assert set(config["PFC_WD"]) == {"GLOBAL", "Ethernet8", "Ethernet136"}
    assert groups["Ethernet136|3"] == {"profile": "pg_lossless_400000_5m_profile"}
    assert config["BUFFER_PROFILE"]["pg_lossless_400000_5m_profile"]["dynamic_th"] == "-2"


def test_two_thresholds_at_one_length_get_two_profiles(tmp_path: Path) -> None:
    """The name that buffermgrd looks for stays with the vendor's threshold."""
    text = OVERRIDES.replace("{lossless: {pfc: false}}", "{description: x}")
    config = _config(variant(tmp_path / "i", "demo", {}, text)["su1-rail0"])
    assert config["BUFFER_PG"]["Ethernet0|3"] == {"profile": "pg_lossless_400000_5m_profile"}
    assert config["BUFFER_PG"]["Ethernet136|3"] == {"profile": "pg_lossless_400000_5m_th-2_profile"}


def test_no_watchdog_no_table(tmp_path: Path) -> None:
    """Without a watched port there is no PFC_WD at all, and no global line on EOS."""
    changes = {"watchdog: {action: drop": "watchdog: {enabled: false, action: drop"}
    designs = variant(tmp_path / "i", "demo", changes)
    assert "PFC_WD" not in _config(designs["su1-rail0"])
    assert "watchdog" not in render_device(designs["spine01"])[0].text


def test_eos_cannot_forward(tmp_path: Path) -> None:
    """The action word does not exist there."""
    designs = variant(tmp_path / "i", "demo", {"action: drop": "action: forward"})
    assert _config(designs["su1-rail0"])["PFC_WD"]["Ethernet0"]["action"] == "forward"
    with pytest.raises(RenderError, match="spine01: watchdog.action forward does not exist on EOS"):
        render_device(designs["spine01"])


def test_eos_has_one_dscp_map(tmp_path: Path) -> None:
    """A port cannot have a map of its own."""
    devices = "devices:\n  - names: spine01\n    ports:\n"
    devices += "      Ethernet1/1: {lossless: {roce_dscp: 24}}\n"
    designs = variant(tmp_path / "i", "demo", {}, devices)
    with pytest.raises(RenderError, match="spine01: roce_dscp 24 of a port is not 26"):
        render_device(designs["spine01"])


def test_eos_pauses_the_traffic_class_of_the_same_number(tmp_path: Path) -> None:
    """Any other pair would be lossy there, while SONiC has a map for it."""
    designs = variant(tmp_path / "i", "demo", {"pfc_priority: 3": "pfc_priority: 4"})
    assert _config(designs["su1-rail0"])["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] == "4"
    with pytest.raises(RenderError, match="spine01: traffic_class 3 is not pfc_priority 4"):
        render_device(designs["spine01"])


def test_eos_speed_needs_a_word() -> None:
    """A speed without a configuration word would print an empty one."""
    device = design("demo", "spine01")
    port = replace(device.ports[0], speed_token="")
    with pytest.raises(
        RenderError, match="spine01: Ethernet1/1: 400 Gb/s has no known EOS speed keyword"
    ):
        render_device(replace(device, ports=(port, *device.ports[1:])))


def test_eos_watchdog_that_is_off_on_a_port_is_switched_off_there(tmp_path: Path) -> None:
    """The default of EOS is on."""
    devices = "devices:\n  - names: spine01\n    ports:\n"
    devices += "      Ethernet1/1: {lossless: {watchdog: {enabled: false}}}\n"
    text = render_device(variant(tmp_path / "i", "demo", {}, devices)["spine01"])[0].text
    assert "qos profile ROCE_1\n" in text
    assert text.count("   no priority-flow-control pause watchdog\n") == 1
    assert "   service-profile ROCE_1\n" in text


def test_tables_without_rows_are_left_out() -> None:
    """CONFIG_DB has no empty tables."""
    text = join_tables(['"A": {\n}\n"B": {\n\n"x": {}\n"y": {}\n}\n'])
    assert json.loads(text) == {"B": {"x": {}, "y": {}}}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"A": {"x": {}, "x": {}}}', "'x' appears twice"),
        ('{"A": {}, "A": {}}', "'A' appears twice"),
        ('{"A": {"x": {"f": "1", "f": "2"}}}', "'f' appears twice"),
        ('{"A": {x}}', "line 1 column"),
    ],
)
def test_invalid_json_is_refused(text: str, complaint: str) -> None:
    """A row that is printed twice would hide the first."""
    with pytest.raises(RenderError, match=f"config_db.json: .*{complaint}"):
        check_json(text)

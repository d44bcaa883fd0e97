"""The files of hosts: golden files, hostile values, explanations."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.core.errors import InputError, RenderError
from fabric.design.host import HostDesigner
from fabric.design.host_model import HostDesign
from fabric.intent.resolve import PolicyResolver
from fabric.render.engine import template_folder
from fabric.render.explain import entries, find
from fabric.systems.host.render import render_host
from fabric.topology import Fabric
from tests.cases import each
from tests.render.test_explain import _exists
from tests.topology.fabrics import example, fabric

GOLDEN = Path(__file__).parents[1] / "golden" / "host"
CASES = [
    ("a100-pcie", "a100-3"),
    ("demo", "gpu003"),
    ("eight-slash-27", "node001"),
    ("rail-512", "gpu064"),
    ("rail-512-split", "gpu064"),
    ("routed", "gpu003"),
    ("dual-stack", "gpu001"),
    ("ipv6", "gpu001"),
]
ODD = """\
hosts:
  - names: a1
    nics:
      - {rail: 0, interface: enp1s0-x.7, mac: "52:54:00:00:00:01", speed_gbps: 100, cable_m: 30}
      - {rail: 1, enabled: false}
"""


MAC = """\
hosts:
  - names: a1
    nics:
      - {rail: 0, mac: "52:54:00:00:00:01", cable_m: 30}
      - rail: 1
        interface: enp1s0-x.7
        port_uuid: "42424650-5232-3235-3230-303437303030"
"""
LEAVES = """\
devices:
  - {names: su1-rail0, mac: "02:00:00:00:01:00"}
  - {names: su1-rail1, mac: "02:00:00:00:01:01"}
"""
BUFFERS = {"lossy_bytes": 130944, "lossless_bytes": 131072}
#: Every network stack and every driver, with everything that may be asked of them.
VARIANTS: dict[str, dict[str, Any]] = {
    "networkd-mlx5": {
        "host__network_stack": "networkd",
        "host__static_neighbours": True,
        "host__nic": {
            "driver": "mlx5",
            "dcqcn_set": "connectx",
            "receive_buffers": BUFFERS,
            "pause_storm_ms": 100,
            "virtual_functions": 8,
            "firmware_file": True,
        },
        "host__tuning": {
            "max_read_request_bytes": 4096,
            "acs": "off",
            "governor": "performance",
            "hugepages_1g": 16,
            "relaxed_ordering": "per_mkey",
            "gpudirect": "dmabuf",
        },
    },
    "keyfiles-ofed": {
        "host__network_stack": "netplan-networkmanager",
        "host__nic": {
            "dcqcn_set": "hpcc-dcqcn",
            "receive_buffers": BUFFERS,
            "pause_storm_ms": 100,
            "firmware_file": True,
            "ports_per_card": 2,
            "pci_addresses": ["0000:1a:00.0", "0000:1a:00.1"],
            "virtual_functions": 4,
        },
        "host__tuning": {"gpudirect": "peermem"},
        "arp": {"timeout_s": 60},
    },
    "keyfiles-bnxt": {
        "host__network_stack": "networkmanager",
        "host__nic": {"vendor": "broadcom", "driver": "bnxt"},
        "lossless": {"pfc": False},
    },
    "netplan-ionic": {"host__nic": {"vendor": "amd", "driver": "ionic"}},
    "networkd-infiniband": {
        "host__network_stack": "networkd",
        "host__nic": {"link_layer": "infiniband", "firmware_file": True},
    },
    "networkd-routed": {
        "host__network_stack": "networkd",
        "addressing__vlan_per": "none",
        "addressing__routed_prefix_length": 28,
        "host__nic": {"match": "path", "pci_addresses": ["0000:1a:00.0", "0000:3a:00.0"]},
    },
    "netplan-path": {
        "addressing__vlan_per": "none",
        "host__nic": {"match": "path", "pci_addresses": ["0000:1a:00.0", "0000:3a:00.0"]},
    },
    "keyfiles-routed": {
        "host__network_stack": "networkmanager",
        "units": [
            {"name": "su1", "hosts": "a[1-3]", "vlan_per": "none"},
            {"name": "su2", "hosts": "b[1-2]"},
        ],
        "addressing__routed_hosts": "10.96.0.0/16",
    },
}
HOSTS = [*CASES, ("odd", "a1"), *((name, "a1") for name in VARIANTS)]


def design(made: Fabric, name: str) -> HostDesign:
    """Return the design of one host."""
    return HostDesigner(made, PolicyResolver(made.intent)).design(made.host_row[name])


@cache
def odd() -> HostDesign:
    """Return a host with a name that needs escaping, a MAC address, and a NIC that is off."""
    return design(fabric("", ODD), "a1")


@cache
def variant(name: str) -> HostDesign:
    """Return a host with the stack and the driver of a variant."""
    return design(fabric(LEAVES, MAC, **VARIANTS[name]), "a1")


def case(inventory: str, name: str) -> HostDesign:
    """Return the host of one of ``HOSTS``."""
    if inventory in VARIANTS:
        return variant(inventory)
    return odd() if inventory == "odd" else design(example(inventory), name)


def files(host: HostDesign) -> dict[str, str]:
    """Return the text of each file by its path."""
    return {item.path.removeprefix(f"hosts/{host.name}/"): item.text for item in render_host(host)}


@pytest.mark.parametrize(("inventory", "name"), HOSTS)
def test_files_are_the_golden_files(inventory: str, name: str, *, update_golden: bool) -> None:
    """Every file, with its path; no golden file is left over; the same bytes again."""
    host = case(inventory, name)
    folder = GOLDEN / inventory / name
    found = files(host)
    if update_golden:
        for path, text in found.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    stored = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert stored == set(found)
    for path, text in found.items():
        assert text == (folder / path).read_text(encoding="utf-8"), path
    assert render_host(host) == render_host(host)


@pytest.mark.parametrize(("inventory", "name"), [*CASES, ("odd", "a1")])
def test_files_say_what_the_design_says(inventory: str, name: str) -> None:
    """netplan read as YAML, the expected state as JSON."""
    host = odd() if inventory == "odd" else design(example(inventory), name)
    found = files(host)
    nics = [nic for nic in host.nics if nic.enabled]
    plan = yaml.safe_load(found["rootfs/etc/netplan/60-rocefab.yaml"])["network"]["ethernets"]
    state = json.loads(found["expected-state.json"])
    assert list(plan) == list(state["nics"]) == [nic.interface for nic in nics]
    for nic in nics:
        own = plan[nic.interface]
        assert own["addresses"] == state["nics"][nic.interface]["addresses"]
        assert own["mtu"] == nic.mtu_bytes
        tables = {route.get("table", "main") for route in own["routes"]}
        assert tables == {nic.table, *(["main"] if nic.in_main_table else [])}
        assert own["routes"][1]["via"] == nic.gateway
        assert own["routing-policy"][0]["from"] == nic.addresses[0].source
        assert ("match" in own) is bool(nic.mac)
        assert state["rdma_devices"][nic.interface] == nic.rdma_device
        assert sum(state["nics"][nic.interface]["bandwidth_percent"].values()) == 100


def test_names_are_written_as_each_program_wants_them() -> None:
    """A dot is a slash to sysctl, a hyphen is escaped for systemd; what is off is left alone."""
    found = files(odd())
    assert (
        "net.ipv4.conf.enp1s0-x/7.arp_ignore = 1\n" in found["rootfs/etc/sysctl.d/zz-rocefab.conf"]
    )
    script = found["rootfs/etc/rocefab/apply.sh"]
    assert r"systemctl enable 'rocefab-nic@enp1s0\x2dx.7.service' >" in script
    assert "eth2" not in "".join(found.values())


@each(
    "name",
    ["a;reboot", "a b", "$(id)", "`id`", "a'b", "a\nb", "-x", "1a", "a/b", "{{x}}", "ens[1-2]", ""],
)
@each("field", ["interface", "rdma_device", "mac"])
def test_hostile_names_do_not_get_in(field: str, name: str) -> None:
    """An inventory with one is refused."""
    override = json.dumps({"rail": 0, field: name})
    with pytest.raises(InputError):
        fabric("", f"hosts:\n  - names: a1\n    nics: [{override}]\n")


@pytest.mark.parametrize("field", ["host__management_interface", "host__interfaces", "name"])
def test_hostile_names_do_not_get_in_by_the_profile(field: str) -> None:
    """Nor there."""
    with pytest.raises(InputError):
        fabric(**{field: "eth0; reboot"})


@pytest.mark.parametrize("field", ["interface", "rdma_device", "leaf", "leaf_port", "gateway"])
def test_a_line_break_is_refused_by_the_engine(field: str) -> None:
    """Should one ever get so far."""
    host = odd()
    changed: Any = {field: "x\nreboot"}
    nic, address = host.nics[0], host.nics[0].addresses[0]
    if field == "gateway":
        changed = {"addresses": (replace(address, **changed),)}
    nics = (replace(nic, **changed), *host.nics[1:])
    with pytest.raises(RenderError, match="contains a line break"):
        render_host(replace(host, nics=nics))


def test_explanations_name_fields_that_exist() -> None:
    """A field that was renamed must be renamed here too."""
    templates = template_folder() / "host"
    assert {entry.template for entry in entries("host")} == {
        f"host/{path.name}" for path in templates.glob("*.j2")
    }
    for entry in entries("host"):
        re.compile(entry.pattern)
        assert entry.source
        for field in entry.fields:
            assert _exists(field), (entry.template, field)


def test_every_setting_is_explained() -> None:
    """Line by line, apart from comments and the words of the shell."""
    shell = re.compile(
        r"set -eu|only=.*|\w+\(\) \{|\}|fi|else|done|esac|>/dev/null|echo .*|for .*; do"
        r"|if \[ -[ez] \S+ \]; then|if .* = --tuning \]; then|command -v .*|\[ -n \S+ \] .*"
    )
    for inventory, name in HOSTS:
        for path, text in files(case(inventory, name)).items():
            if path == "expected-state.json":
                continue
            for line in text.splitlines():
                words = line.strip()
                if words and not words.startswith("#") and not shell.fullmatch(words):
                    assert find("host", line), (path, line)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("    mlnx_qos -i eth1 --trust dscp --pfc 0,0,0,1,0,0,0,0 --cable_len 5 \\", None),
        ("        --tcbw 50,0,0,50,0,0,0,0 >/dev/null", "lossless.scheduler.lossless_percent"),
        ("        --dscp2prio set,26,3", "lossless.roce_dscp"),
        ("      mtu: 9000", "lossless.mtu.host_bytes"),
        ("net.ipv4.neigh.default.gc_thresh3 = 16384", "units.hosts"),
        ("      addresses: [10.64.0.2/24]", "addressing.hosts"),
    ],
)
def test_the_first_explanation_is_the_nearest(text: str, field: str | None) -> None:
    """The field that a person would look for comes first."""
    found = find("host", text)
    assert found
    if field:
        assert field in found[0].fields
    else:
        assert {"lossless.pfc_priority", "cables.host_m"} <= {
            name for entry in found for name in entry.fields
        }


def test_keys_of_the_second_port_of_a_card() -> None:
    """They end in _P2; keys of the whole card are set once."""
    script = files(variant("keyfiles-ofed"))["rootfs/etc/rocefab/firmware.sh"]
    first, second = (part for part in script.split("# rail ")[1:])
    assert "CNP_DSCP_P1=48" in first
    assert "_P2" not in first
    assert "CNP_DSCP_P2=48" in second
    assert "_P1" not in second
    assert "NUM_OF_VFS=4" in first
    assert "NUM_OF_VFS" not in second


@pytest.mark.parametrize("name", VARIANTS)
def test_lossless_settings_are_for_roce_alone(name: str) -> None:
    """Without RoCE there are addresses, and a reason in the head."""
    found = files(variant(name))
    script = found["rootfs/etc/rocefab/apply.sh"]
    roce = name != "networkd-infiniband"
    tools = ("mlnx_qos", "dcb pfc", "bnxt_setupcc.sh", "nicctl")
    assert any(tool in script for tool in tools) is roce
    assert ("rootfs/etc/udev/rules.d/90-rocefab.rules" in found) is roce
    assert ("# No lossless settings:" in script) is not roce
    assert ("modprobe rdma_cm" in script) is roce
    state = json.loads(found["expected-state.json"])
    assert all("addresses" in nic for nic in state["nics"].values())
    assert any("pfc" in nic for nic in state["nics"].values()) is (roce and "ionic" not in name)
    if name in ("keyfiles-bnxt", "netplan-ionic"):
        assert "# Beta: " in script


def test_the_link_goes_down_once() -> None:
    """One command changes PFC, after global pause is off."""
    for name, command in (("keyfiles-ofed", "--pfc "), ("networkd-mlx5", "dcb pfc set")):
        script = files(variant(name))["rootfs/etc/rocefab/apply.sh"]
        block = script.split("\n# rail ")[1]
        assert block.count(command) == 1
        assert block.index("ethtool -A") < block.index(command)


def test_only_what_is_meant_to_be_run_can_be_run() -> None:
    """The script for the firmware is for an operator."""
    made = {item.path.rpartition("/")[2]: item for item in render_host(variant("networkd-mlx5"))}
    programs = {name for name, item in made.items() if item.executable}
    assert programs == {"apply.sh", "check.sh"}
    assert "firmware.sh" in made
    assert "firmware.sh" not in made["apply.sh"].text

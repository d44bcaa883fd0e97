"""Faults planted in outputs of a host, each found; the clean twins have none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fabric.core.findings import Finding
from fabric.observe.saved.model import kind_of
from fabric.workflow.audit import audit
from tests.audit.host_outputs import dcb_outputs, outputs
from tests.reference import SHARED, reference

SWITCH = (
    Path(__file__)
    .parents[1]
    .joinpath("golden", "esonic", "demo", "su1-rail0", "running-configuration.esonic")
)
_ENABLED = r"enabled     0   0   0   1   0"
_TC = r"tc: 3 (.*) tsa: ets, bw: 50%"
_ETH2_V2 = r"(mlx5_1\t1\t)3\t(.*)\tv2\teth2\nn_gids_found=8"

#: File (by its beginning), pattern, replacement, rule; a name that begins with "a NIC" is planted
#: in the file of one NIC.
FAULTS = {
    "no NIC pauses": ("mlnx_qos", _ENABLED, "enabled     0   0   0   0   0", "AUD001"),
    "a NIC does not pause": ("mlnx_qos", _ENABLED, "enabled     0   0   0   0   0", "AUD002"),
    "a NIC pauses another priority": (
        "mlnx_qos",
        _ENABLED,
        "enabled     0   0   0   0   1",
        "AUD002",
    ),
    "a NIC pauses one priority more": (
        "mlnx_qos",
        _ENABLED,
        "enabled     0   0   0   1   1",
        "AUD002",
    ),
    "trust in 802.1p": (
        "mlnx_qos",
        r"(?s)state: dscp\ndscp2prio.*(?=Receive)",
        "state: pcp\n",
        "AUD007",
    ),
    "a NIC trusts 802.1p": (
        "mlnx_qos",
        r"(?s)state: dscp\ndscp2prio.*(?=Receive)",
        "state: pcp\n",
        "AUD007",
    ),
    "trust in nothing": (
        "mlnx_qos",
        r"(?s)state: dscp\ndscp2prio.*(?=Receive)",
        "state: none\n",
        "AUD007",
    ),
    "no DSCP leads to the priority": ("mlnx_qos", r"prio:3 dscp:26", "prio:2 dscp:26", "AUD008"),
    "a NIC pauses a priority without a DSCP": (
        "mlnx_qos",
        _ENABLED,
        "enabled     0   0   0   0   1",
        "AUD008",
    ),
    "best effort shares the traffic class": (
        "mlnx_qos",
        r"(\t priority:  0\n)((?s:.*)tc: 3 .*\n)",
        r"\2\1",
        "AUD008",
    ),
    "an MTU of 1,500": ("ip_addr", r'"mtu": 9000', '"mtu": 1500', "AUD009"),
    "an MTU for 2,048 bytes": ("ip_addr", r'"mtu": 9000', '"mtu": 4191', "AUD009"),
    "three lossless priorities": (
        "mlnx_qos",
        _ENABLED,
        "enabled     0   0   1   1   1",
        "AUD014",
    ),
    "the class is strict": ("mlnx_qos", _TC, r"tc: 3 \1 tsa: strict", "AUD015"),
    "the class has no share": ("mlnx_qos", _TC, r"tc: 3 \1 tsa: ets, bw: 0%", "AUD015"),
    "a NIC maps another DSCP": (
        "mlnx_qos",
        r"(?s)24,(.*prio:3 dscp:)26,",
        r"26,\g<1>24,",
        "AUD017",
    ),
    "RoCE is sent with the DSCP of CNPs": ("traffic_class", "=106", "=192", "AUD017"),
    "no RoCEv2 GID": ("show_gids", _ETH2_V2, "n_gids_found=7", "AUD020"),
    "IPv4 is not there": (
        "show_gids",
        r"mlx5_1\t1\t2.*\nmlx5_1\t1\t3.*\nn_gids_found=8",
        "n_gids_found=6",
        "AUD020",
    ),
    "a second address": (
        "show_gids",
        _ETH2_V2,
        (
            r"\g<1>3\t\2\tv2\teth2\n"
            r"mlx5_1\t1\t5\t0000:0000:0000:0000:0000:ffff:c000:0205\t192.0.2.5\tv2\teth2\n"
            "n_gids_found=9"
        ),
        "AUD021",
    ),
    "NICs answer for each other": (
        "sysctl",
        r"eth2.arp_ignore = 1",
        "eth2.arp_ignore = 0",
        "AUD022",
    ),
    "a NIC asks with any address": (
        "sysctl",
        r"eth1.arp_announce = 2",
        "eth1.arp_announce = 0",
        "AUD022",
    ),
    "a NIC asks with an address of the subnet": (
        "sysctl",
        r"eth1.arp_announce = 2",
        "eth1.arp_announce = 1",
        "AUD022",
    ),
    "strict check of sources": ("sysctl", r"eth1.rp_filter = 2", "eth1.rp_filter = 1", "AUD022"),
    "strict check of sources for all": (
        "sysctl",
        r"(all.rp_filter = )0((?s:.*)eth1.rp_filter = )2",
        r"\g<1>1\g<2>0",
        "AUD022",
    ),
    "stale neighbours live on": (
        "sysctl",
        r"(eth1.gc_stale_time = )60",
        r"\g<1>600",
        "AUD023",
    ),
    "neighbours are reachable for long": (
        "sysctl",
        r"(eth1.base_reachable_time_ms = )30000",
        r"\g<1>150000",
        "AUD023",
    ),
    "a neighbour table for one": ("sysctl", r"(gc_thresh3 = )\d+", r"\g<1>1", "AUD024"),
    "most share the receive buffer": (
        "mlnx_qos",
        r"buffer      0   0   0   1",
        "buffer      1   1   1   1",
        "AUD025",
    ),
    "CNPs share the receive buffer": (
        "mlnx_qos",
        r"buffer      0   0   0   1   0   0   0",
        "buffer      0   0   0   1   0   0   1",
        "AUD025",
    ),
    "a receive buffer of nothing": ("mlnx_qos", r"61440,196608,", "61440,0,", "AUD025"),
    "a NIC has a small receive buffer": ("mlnx_qos", r"61440,196608,", "61440,65536,", "AUD025"),
    "a cable that the buffer does not cover": (
        "mlnx_qos",
        r"Cable len: 5",
        "Cable len: 300",
        "AUD025",
    ),
    "a NIC with a cable of nothing": ("mlnx_qos", r"Cable len: 5", "Cable len: 0", "AUD025"),
    "a cable that the driver ignores": ("mlnx_qos", r"Cable len: 5", "Cable len: 1000", "AUD025"),
    "the firmware decides": ("mlnx_qos", r"mode: OS", "mode: Firmware", "AUD026"),
    "lldpad runs": (
        "mlnx_qos",
        r"^DCBX",
        (
            "****** WARNING: lldpad service is running and may overwrite your settings ******\n"
            "\nDCBX"
        ),
        "AUD026",
    ),
    "a NIC pauses its whole link": ("ethtool_a", r"TX:\t\toff", "TX:\t\ton", "AUD027"),
    "a NIC obeys pause of the whole link": ("ethtool_a", r"RX:\t\toff", "RX:\t\ton", "AUD027"),
    "RoCE is sent as best effort": ("traffic_class", r"=106", "=0", "AUD028"),
    "a NIC sends RoCE with another DSCP": ("traffic_class", r"=106", "=96", "AUD028"),
}
DCB_FAULTS = {
    "no NIC pauses": ("dcb_pfc", r"true", "false", "AUD001"),
    "a NIC does not pause": ("dcb_pfc", r"true", "false", "AUD002"),
    "DSCP leads elsewhere": ("dcb_app", r"(26,\s+)3", r"\g<1>2", "AUD008"),
    "the class is strict": (
        "dcb_ets",
        r'(?s)("tc_tsa": \[\s+"ets",\s+"ets",\s+"ets",\s+)"ets"',
        r'\1"strict"',
        "AUD015",
    ),
    "a NIC puts best effort there": (
        "dcb_buffer",
        r'(?s)("prio_buffer": \[\s+)0',
        r"\g<1>1",
        "AUD025",
    ),
    "a cable of nothing": ("dcb_pfc", r'"delay": 5', '"delay": 0', "AUD025"),
}


def judged(folder: Path, texts: dict[str, str], *, switch: bool = True) -> tuple[Finding, ...]:
    """Return what the audit says of a host, with the leaf that it is connected to."""
    host = folder / "gpu001"
    host.mkdir(exist_ok=True)
    for name, text in texts.items():
        (host / name).write_text(text, encoding="utf-8")
    return audit([host, *([SWITCH] if switch else [])]).outcome.findings


def planted(
    texts: dict[str, str], fault: tuple[str, str, str, str], *, one: bool
) -> dict[str, str]:
    """Return files with a fault in those of all NICs, or of one."""
    file, pattern, replacement, _ = fault
    names = [name for name in texts if name.startswith((f"{file}-", f"{file}."))]
    changed = {
        name: re.sub(pattern, replacement, texts[name], count=1, flags=re.MULTILINE)
        for name in (names[:1] if one else names)
    }
    assert changed
    assert all(changed[name] != texts[name] for name in changed)
    return texts | changed


@pytest.mark.parametrize("texts", [outputs(), dcb_outputs()], ids=["mlnx_qos", "dcb"])
@pytest.mark.parametrize("switch", [True, False])
def test_the_clean_twin(tmp_path: Path, texts: dict[str, str], switch: bool) -> None:
    assert judged(tmp_path, texts, switch=switch) == ()


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(tmp_path: Path, name: str) -> None:
    fault = FAULTS[name]
    texts = planted(outputs(), fault, one=name.startswith("a NIC"))
    every = judged(tmp_path, texts)
    fired = [finding for finding in every if finding.rule == fault[3]]
    assert fired, every
    assert fired[0].device == "gpu001"
    assert fired[0].position
    assert Path(fired[0].position.file).parent == tmp_path / "gpu001"
    assert fired[0].position.line


@pytest.mark.parametrize("name", DCB_FAULTS)
def test_a_fault_that_dcb_shows_is_found(tmp_path: Path, name: str) -> None:
    fault = DCB_FAULTS[name]
    every = judged(tmp_path, planted(dcb_outputs(), fault, one=name.startswith("a NIC")))
    fired = [finding for finding in every if finding.rule == fault[3]]
    assert fired, every
    assert fired[0].position
    assert Path(fired[0].position.file).name.startswith("dcb_")
    assert fired[0].position.line


def test_a_driver_that_knows_no_cable(tmp_path: Path) -> None:
    """Others than mlx5 report a delay of 0 where nobody set one."""
    texts = {
        name: text.replace('"delay": 5', '"delay": 0').replace("mlx5_", "bnxt_re")
        for name, text in dcb_outputs().items()
    }
    renamed = {name.replace("mlx5_", "bnxt_re"): text for name, text in texts.items()}
    assert "AUD025" not in {finding.rule for finding in judged(tmp_path, renamed)}


def test_both_ends_of_a_cable_between_host_and_leaf(tmp_path: Path) -> None:
    fault = ("mlnx_qos", r"enabled     0   0   0   1", "enabled     0   0   1   0", "AUD016")
    every = judged(tmp_path, planted(outputs(), fault, one=False))
    assert [(one.device, one.port) for one in every if one.rule == "AUD016"] == [
        ("su1-rail0", "Ethernet0")
    ]
    assert [one.port for one in every if one.rule == "AUD017"] == ["eth1", "eth2"]


def test_hosts_without_a_switch_are_held_against_each_other(tmp_path: Path) -> None:
    other = {
        name: text.replace("0   0   0   1   0", "0   0   0   0   1").replace("prio:3", "prio:4")
        for name, text in outputs().items()
        if name.startswith("mlnx_qos")
    }
    for host, texts in (("h1", outputs()), ("h2", outputs()), ("h3", other)):
        (tmp_path / host).mkdir()
        for name, text in texts.items():
            (tmp_path / host / name).write_text(text, encoding="utf-8")
    every = audit([tmp_path]).outcome.findings
    assert {(one.rule, one.device) for one in every} == {("AUD015", "h3"), ("AUD017", "h3")}


def test_the_default_map_of_a_nic_holds_the_dscp_of_the_switches(tmp_path: Path) -> None:
    rows = "".join(
        f"\tprio:{number} dscp:" + "".join(f"{number * 8 + one:02}," for one in range(8)) + "\n"
        for number in range(8)
    )
    changed = {
        name: re.sub(r"(?s)(mapping:\n).*(?=Receive)", rf"\1{rows}", text)
        for name, text in outputs().items()
    }
    assert judged(tmp_path, changed) == ()


@pytest.mark.parametrize("name", outputs())
def test_one_output_alone_has_no_finding(tmp_path: Path, name: str) -> None:
    assert judged(tmp_path, {name: outputs()[name]}) == ()


REFUSED = {
    "a cut output": ({"mlnx_qos-eth1.txt": outputs()["mlnx_qos-eth1.txt"][:-300]}, "mlnx_qos"),
    "a cut table": ({"show_gids.txt": outputs()["show_gids.txt"][:-30]}, "show_gids"),
    "two tables of one host": (
        {name: outputs()["show_gids.txt"] for name in ("show_gids.txt", "gids-old.txt")},
        "of the same host too",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_outputs_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    texts, words = REFUSED[name]
    (finding,) = judged(tmp_path, texts)
    assert finding.rule == "AUD019"
    assert words in finding.message
    assert finding.position
    assert Path(finding.position.file).name in texts


def test_a_file_of_no_tool_is_named_with_its_reason(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("remember the milk\n", encoding="utf-8")
    (finding,) = audit([file], system="host").outcome.findings
    assert finding.rule == "AUD019"
    assert "no tool that is known" in finding.message


#: What means the same, or what firmware begins with, by file, pattern and replacement.
HARMLESS = {
    "one receive buffer for all": (
        "mlnx_qos",
        r"196608(?s:(.*))buffer      0   0   0   1",
        r"65536\1buffer      0   0   0   0",
    ),
    "the arbiter of the device": ("mlnx_qos", r"tsa: ets, bw: \d+%", "tsa: vendor"),
    "a NIC for storage": ("ip_addr", r'"mtu": 1500', '"mtu": 1400'),
    "the addresses in other subnets": ("sysctl", r"eno1.arp_ignore = 0", "eno1.arp_ignore = 2"),
    "parameters of all": (
        "sysctl",
        r"(all.arp_ignore = )0((?s:.*)eth1.arp_ignore = )1",
        r"\g<1>1\g<2>0",
    ),
    "a prompt with the command": ("mlnx_qos", r"\A", "root@gpu001:~# mlnx_qos -i eth1\n"),
    "no override of the traffic class": (
        "traffic_class",
        r"Global tclass=106",
        "src_ip=10.0.0.1,tclass=0",
    ),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_a_harmless_change_has_no_finding(tmp_path: Path, name: str) -> None:
    texts = planted(outputs(), (*HARMLESS[name], ""), one=False)
    assert judged(tmp_path, texts) == ()


#: Recorded outputs, and what is wrong with them.
RECORDED = {
    "mlnx_qos.cx5.fw-dcbx.dscp.txt": {"AUD026"},
    "mlnx_qos.simulated.default-pcp.txt": {"AUD001"},
    "mlnx_qos.simulated.roce-prio3.txt": set(),
    "show_gids.a100-8xroce.spaces.txt": set(),
    "show_gids.cx5-single-ipv4.txt": set(),
    "show_gids.tabs.empty-in-pod.txt": {"AUD020"},
    "traffic_class.global-106.txt": set(),
    "dcb.simulated.pfc.json": set(),
    "ibdev2netdev.in-pod-8rail.txt": set(),
}


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_outputs(name: str) -> None:
    file = reference("fixtures", "host", name)
    assert {one.rule for one in audit([file]).outcome.findings} == RECORDED[name]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the reference data is not here")
def test_outputs_of_switches_are_not_taken_for_those_of_hosts() -> None:
    files = [file for file in (SHARED / "fixtures").rglob("*") if file.is_file()]
    texts = {file: file.read_text(encoding="utf-8", errors="replace") for file in files}
    folders = {file.parent.name for file, text in texts.items() if kind_of(text, file)}
    assert folders == {"host"}

"""Tunnels that lose the lossless class, and VRFs that join customers, in files of each system."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from fabric.audit.tunnels import judge_vrfs
from fabric.observe.configuration import readers
from fabric.observe.configuration.tunnels import tunnel_lines
from fabric.observe.configuration.vrfs import LeakLine, RedistributionLine
from tests.audit.planting import findings
from tests.prove.fabrics import example
from tests.render.designs import text_of
from tests.render.vrp8_designs import designs
from tests.systems.tenant_fabrics import project

NEW = {f"AUD{number:03}" for number in range(43, 49)}
#: System, pattern, replacement in a clean text, rule.
FAULTS = {
    "EOS without ECN": ("eos", r"   vxlan qos ecn propagation\n", "", "AUD044"),
    "EOS without DSCP": ("eos", r"   vxlan qos dscp propagation.*\n", "", "AUD043"),
    "EOS, two VRFs on one VNI": ("eos", r"vrf Vrf18 vni 50018", "vrf Vrf18 vni 50017", "AUD046"),
    "EOS, static routes": (
        *("eos", r"(      redistribute connected route-map RM-Vrf17)"),
        r"      redistribute static\n\1",
        "AUD048",
    ),
    "NX-OS in pipe mode": (*("nxos", r"(?<=interface nve1\n)", "  qos-mode pipe\n", "AUD043"),),
    "Enterprise SONiC in pipe mode": ("esonic", r" qos-mode uniform\n", "", "AUD043"),
}


@cache
def _clean(folder: Path, system: str) -> str:
    if system == "eos":
        return example("tenants")[1]["su1-rail0"]["startup-config"]
    whole = project(folder / f"audit-{system}", system, "evpn")
    return whole.switch_artefacts["su1-rail0"][0].text


@pytest.mark.parametrize("system", ["eos", "nxos", "esonic"])
def test_the_clean_twin(
    system: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = findings(tmp_path, _clean(tmp_path_factory.getbasetemp(), system))
    assert not {finding.rule for finding in found} & NEW, found


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    system, pattern, replacement, rule = FAULTS[name]
    text = _clean(tmp_path_factory.getbasetemp(), system)
    wrong, count = re.subn(pattern, replacement, text, count=1)
    assert count
    found = findings(tmp_path, wrong)
    (fired,) = [finding for finding in found if finding.rule == rule]
    assert fired.position
    assert fired.position.line


#: Lines of systems whose readers know no tunnels: a tunnel, what is added to it, effects missed.
LINES = {
    "vrp8": (
        "interface Nve1\n source 10.255.0.11\n#\n",
        "assign forward nvo3 egress mark-ecn enable\n",
        ["mark"],
        [],
    ),
    "junos": (
        "set routing-instances A protocols evpn ip-prefix-routes encapsulation vxlan\n",
        (
            "set forwarding-options vxlan-disable-copy-tos-encap\n"
            "set forwarding-options vxlan-disable-copy-tos-decap\n"
        ),
        [],
        ["dscp", "mark"],
    ),
    "cumulus": (
        "nv set nve vxlan enable on\nnv set nve vxlan source address 10.255.0.11\n",
        (
            "nv set nve vxlan encapsulation dscp action copy\n"
            "nv set nve vxlan decapsulation dscp action preserve\n"
        ),
        ["dscp", "dscp"],
        [],
    ),
}


@pytest.mark.parametrize("system", LINES)
def test_lines_of_a_tunnel(system: str) -> None:
    tunnel, more, missed, wrong = LINES[system]
    lines = tunnel_lines[system]
    assert lines.faults(more) == []
    assert [line.effect for line, _ in lines.faults(tunnel)] == missed
    assert [line.effect for line, _ in lines.faults(tunnel + more)] == wrong
    assert all(number for _, number in lines.faults(tunnel) + lines.faults(tunnel + more))


def test_a_whole_file_of_vrp8(tmp_path: Path) -> None:
    text = text_of(designs("demo")["su1-rail0"])
    assert "AUD045" not in {finding.rule for finding in findings(tmp_path, text)}
    tunnel = text + "interface Nve1\n source 10.255.0.11\n#\n"
    assert "AUD045" in {finding.rule for finding in findings(tmp_path, tunnel)}


def test_leaks_of_the_default_vrf() -> None:
    configured = readers["eos"]({"startup-config": _clean(Path(), "eos")})
    assert list(judge_vrfs(configured)) == []
    red = configured.vrfs["Vrf17"]
    red.leaks.append(LeakLine("", 7))
    red.redistributions.append(RedistributionLine("default", "", 8))
    assert [(fault.rule, fault.line) for fault in judge_vrfs(configured)] == [
        ("AUD047", 7),
        ("AUD048", 8),
    ]
    red.falls_through = True
    assert "AUD047" in {fault.rule for fault in judge_vrfs(configured)}

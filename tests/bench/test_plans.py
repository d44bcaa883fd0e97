"""What IPv6 costs on 131,072 NICs with routed ports, by address plan, and a diff. Prints only."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.bench.figures import Figures
from tests.bench.process import run
from tests.bench.test_scale import COMMANDS, RAILS, SIZES, write
from tests.topology.fabrics import INVENTORY

pytestmark = pytest.mark.benchmark

#: Lines of the base, and what stands there in each plan. A route for each NIC is more than the
#: switches of the base have room for: ADR011.
_HOSTS = "  hosts: 10.0.0.0/9\n  host_prefix_length: 25\n"
_ROUTED = "  vlan_per: none\n  advertise: leaf\n"
_IPV4, _IPV6 = "  hosts: 10.0.0.0/9\n", '  ipv6: {hosts: "fd00:64::/48"}\n'
_BGP = "bgp: {"
IPV4 = "a /31 for each NIC"
PLANS = {
    IPV4: {_HOSTS: _IPV4 + _ROUTED},
    "a /31 and a /127": {_HOSTS: _IPV4 + _ROUTED + _IPV6},
    "a /127": {_HOSTS: _ROUTED + _IPV6},
}
MEASURED = ("check", "show paths", "show capacity", "render")


def planned(folder: Path, plan: str, pods: int) -> Path:
    """Write the inventory of so many pods with a plan, and sessions over ports in all of them."""
    file = write(folder, pods) / "fabric.yaml"
    text = file.read_text(encoding="utf-8")
    for old, new in {**PLANS[plan], _BGP: f"{_BGP}peering: unnumbered, "}.items():
        assert old in text
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")
    return folder


def test_diff(tmp_path: Path) -> None:
    """The example of 512 GPUs with one changed threshold, as docs/diff.md says."""
    text = (INVENTORY / "rail-512" / "fabric.yaml").read_text(encoding="utf-8")
    assert "pmax_percent: 100" in text
    changed = tmp_path / "fabric.yaml"
    changed.write_text(text.replace("pmax_percent: 100", "pmax_percent: 90"), encoding="utf-8")
    taken = run(["diff", str(INVENTORY / "rail-512"), str(tmp_path), "--fresh"])
    assert taken.code == 0, taken.error
    print(f"\ndiff of rail-512, one threshold: {taken.elapsed_s:.1f} s, {taken.cpu_s:.1f} s of CPU")


@pytest.mark.parametrize("plan", PLANS)
def test_commands_by_plan(tmp_path: Path, figures: Figures, plan: str) -> None:
    pods = SIZES[-1]
    folder = planned(tmp_path / "inventory", plan, pods)
    print(f"\n{plan}, {RAILS * 512 * pods:,} NICs")
    for title in MEASURED:
        os.sync()  # what the plan before wrote does not count
        taken = run(COMMANDS[title].format(folder=folder, out=tmp_path).split(), codes=(0, 2, 4))
        print(f"  {title:<20}{taken.elapsed_s:>10.1f}{taken.cpu_s:>10.1f}{taken.peak_mib:>10.0f}")
        assert taken.code in (0, 4), taken.error
        figures["plans"].append({
            "plan": plan,
            "command": title,
            "hosts": 512 * pods,
            "elapsed_s": round(taken.elapsed_s, 2),
            "cpu_s": round(taken.cpu_s, 2),
            "peak_mib": round(taken.peak_mib),
            "code": taken.code,
        })
    shutil.rmtree(tmp_path)

"""Hosts and switches with IPv6: rules of IPv6 judge them, and those of ARP are silent."""

from __future__ import annotations

import re
from pathlib import Path

from fabric.workflow.audit import audit
from tests.audit.host_outputs import ipv6_outputs
from tests.audit.test_hosts import judged
from tests.cases import each

GOLDEN = Path(__file__).parents[1] / "golden"


SECOND = (
    r"(mlx5_1\t1\t)3\t(fd00:0064:0000:0001:0000:0000:0000:002)1(\s.*)\nn_gids_found=8",
    r"\g<1>3\t\g<2>1\g<3>\n\g<1>5\t\g<2>5\g<3>\nn_gids_found=9",
)


def rules_of(folder: Path, **changes: tuple[str, str]) -> dict[str, str]:
    """Return rules and messages of an IPv6 host with changes by the beginning of file names."""
    texts = ipv6_outputs()
    for start, (pattern, replacement) in changes.items():
        for name in [name for name in texts if name.startswith(start)]:
            changed = re.sub(pattern, replacement, texts[name], count=1)
            assert changed != texts[name]
            texts[name] = changed
    return {one.rule: one.message for one in judged(folder, texts)}


def test_a_routable_gid_of_ipv6_is_no_fault(tmp_path: Path) -> None:
    """Jobs have to look for it, and that is all."""
    assert rules_of(tmp_path) == {"AUD030": "every routable RoCEv2 GID is one of IPv6"}


def test_ages_of_arp_are_not_judged(tmp_path: Path) -> None:
    assert "AUD023" not in rules_of(tmp_path, sysctl=(r"(eth1.gc_stale_time = )60", r"\g<1>600"))


@each(
    ("file", "change", "rule", "message"),
    [
        ("show_gids", (r"fd00:0064:0000:0001", "fe80:0000:0000:0001"), "AUD020", ""),
        ("show_gids", SECOND, "AUD021", "the NIC has 2 RoCEv2 GIDs with IPv6"),
    ],
)
def test_a_planted_fault(
    tmp_path: Path, file: str, change: tuple[str, str], rule: str, message: str
) -> None:
    if rule == "AUD020":
        change = (r"(?s)" + change[0] + "(.*)" + change[0], change[1] + r"\1" + change[1])
    every = rules_of(tmp_path, **{file: change})
    assert rule in every
    assert message in every[rule]


def test_a_table_of_ipv6_neighbours(tmp_path: Path) -> None:
    """Both NICs in one /64, and room for none."""
    texts = ipv6_outputs()
    joined = texts["ip_addr.json"].replace("fd00:64:0:1::21", "fd00:64::22")
    texts["ip_addr.json"] = joined.replace('"prefixlen": 127', '"prefixlen": 64')
    texts["sysctl.txt"] = texts["sysctl.txt"].replace("gc_thresh3 = 1024", "gc_thresh3 = 1")
    (fault,) = [one for one in judged(tmp_path, texts) if one.rule == "AUD024"]
    assert fault.message == "2 NICs are in its subnets, gc_thresh3 is 1"
    assert fault.position
    line = Path(fault.position.file).read_text().splitlines()[fault.position.line - 1]
    assert line.startswith("net.ipv6.")


@each(
    ("mtu_bytes", "rules"),
    [(9214, set()), (4176, set()), (4175, {"AUD009"}), (4156, {"AUD009"}), (4155, {"AUD009"})],
)
def test_the_mtu_of_a_port_with_ipv6(tmp_path: Path, mtu_bytes: int, rules: set[str]) -> None:
    text = (GOLDEN / "eos/dual-stack/su1-rail0/startup-config.eos").read_text()
    file = tmp_path / "leaf"
    file.write_text(
        re.sub(r"(interface Ethernet1/1\n(?: .*\n)*?   mtu )\d+", rf"\g<1>{mtu_bytes}", text)
    )
    assert {one.rule for one in audit([file]).outcome.findings} == rules

"""OS10: not Dell's real system; a test of the plug-in layout."""

from __future__ import annotations

from fabric.core.lines import LineTree, nested
from fabric.platforms.model import platforms
from fabric.platforms.refresh import NeighbourRefresh
from fabric.platforms.system import Platform

OS10 = platforms.add("os10")(
    Platform(
        name="os10",
        title="Dell OS10 (test)",
        artefact="running-configuration.os10",
        port_mtu_bytes=(1280, 9216),
        fixed_mac_ageing_s=None,
        default_mac_ageing_s=1800,
        neighbour_refresh=NeighbourRefresh("ARP refresh", "invented", confirmed=False),
        watchdog_ms={"detection": (100, 60_000), "restoration": (100, 60_000), "poll": (100, 3000)},
        source="invented",
        grade="experimental",
        rule_prefix="OST",
        reads_pfc=True,
    )
)
END = "end"


def tree(text: str) -> LineTree:
    """Return the tree of a configuration, without its separators and its end."""
    lines = text.replace("\r", "").splitlines()
    return nested(line for line in lines if line.strip() not in {"", "!", END})


def dump(root: LineTree) -> str:
    """Return the text of a tree."""
    lines = [" " * (len(path) - 1) + path[-1] for path in root.lines()]
    return "\n".join([*lines, END, ""])

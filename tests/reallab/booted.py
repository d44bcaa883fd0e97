"""Hosts of the real lab that are booted, and the command line as an operator runs it on them."""

from __future__ import annotations

import difflib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from fabric.lab.real import RealLab
from fabric.lab.real.booted import BootedHost
from tests.cli.runs import DEMO, Ended, process
from tests.reallab.plans import PLANS, change

HOST, OTHER = "gpu001", "gpu003"
#: A veth has no lossless settings: the NICs of these hosts are plain Ethernet.
_PLAIN = "  management_rdma_device: mlx5_0\n  nic: {link_layer: ethernet}\n"
#: What rocefab and its change folders leave on a host.
_WIPE = (
    "find /etc/systemd/system -name '*rocefab*' -delete;"
    "rm -rf /etc/rocefab /etc/netplan/60-rocefab* /etc/sysctl.d/zz-rocefab* /var/lib/rocefab"
)
_SEEN = {
    "files": "find /etc -type f -newer /lab/init -not -name '*.tmp' -exec md5sum {} + | sort",
    "links": "find /etc/systemd/system -type l | sort",
    "addresses": "ip -o address show scope global; grep . /sys/class/net/*/mtu",
    "rules": "ip -4 rule; ip -6 rule",
    "routes": "ip -4 route show table all | sort;"
    "ip -6 route show table all | grep -v -e fe80: -e ff00: -e eth0 | sort",
    # networkd sets promote_secondaries of what it manages, and leaves it and the NIC up behind.
    "sysctls": "sysctl -a -r 'net.ipv4.(conf|neigh).eth[12]' | grep -v promote_secondaries | sort",
    "failed units": "systemctl --failed --no-legend --plain",
}


def write_inventory(folder: Path, *, arp_s: int = 240, more: str = "", plan: str = "") -> Path:
    """Write the demo inventory with hosts of plain Ethernet; ``more`` goes to its end."""
    shutil.copytree(DEMO, folder)
    file = folder / "fabric.yaml"
    text = change(file.read_text(), PLANS[plan][1] if plan else {})
    if plan:
        shutil.rmtree(folder / "devices")  # of the ports of another leaf model
    text = text.replace("  management_rdma_device: mlx5_0\n", _PLAIN)
    file.write_text(text.replace("timeout_s: 240", f"timeout_s: {arp_s}") + more)
    return folder


def apart(before: dict[str, str], after: dict[str, str]) -> str:
    """Return the lines that are not the same, as a diff."""
    lines = [
        line
        for name in before
        for line in difflib.ndiff(before[name].splitlines(), after[name].splitlines())
    ]
    return "\n".join(line for line in lines if line[0] in "+-")


@dataclass
class Site:
    """Hosts that are booted, and an operator's folder."""

    lab: RealLab
    folder: Path

    @property
    def host(self) -> BootedHost:
        """The host that most tests change."""
        return self.lab.booted(HOST)

    def inventory(
        self, name: str = "inventory", *, arp_s: int = 240, more: str = "", plan: str = ""
    ) -> Path:
        """Write an inventory; another ARP time changes a file, a script and two settings."""
        return write_inventory(self.folder / name, arp_s=arp_s, more=more, plan=plan)

    def rocefab(self, *words: object) -> Ended:
        """Run a command in a process of its own."""
        return process(
            *words,
            cwd=self.folder,
            ROCEFAB_CONNECTIONS=str(self.lab.management.connections_file),
            ROCEFAB_STATE=str(self.folder / "state"),
            ROCEFAB_CACHE=str(self.folder / "cache"),
        )

    def plan(self, inventory: Path, *words: object, only: str = HOST) -> Ended:
        """Plan hosts over SSH."""
        out = self.folder / "plan.json"
        out.unlink(missing_ok=True)
        return self.rocefab("plan", inventory, "--only", only, "--out", out, *words)

    def apply(self, *words: object) -> Ended:
        """Apply what was planned last."""
        return self.rocefab("apply", self.folder / "plan.json", "--commit", *words)

    def configured(self, *, only: str = HOST) -> None:
        """Bring hosts to the state of the inventory."""
        if not (self.folder / "inventory").exists():
            self.inventory()
        assert self.plan(self.folder / "inventory", only=only).code == 0
        ended = self.apply()
        assert ended.code == 0, ended.said

    def roll_out(self, *gate: str, ping: bool = False) -> str:
        """Return the settings of a roll-out one of whose gates is a script of these lines."""
        script = self.folder / "gate.sh"
        script.write_text("\n".join(["#!/bin/sh", "cat > /dev/null", *gate, ""]))
        script.chmod(0o755)
        gates = f"{{counters: false, ping: {str(ping).lower()}, command: [{script}]}}"
        return f"rollout:\n  soak_s: 1\n  gates: {gates}\n"

    @property
    def inside(self) -> str:
        """Words of shell that run what follows inside the host."""
        return f"nsenter --target {self.host.first} --all --"

    def state(self) -> dict[str, str]:
        """Return what a change may touch, as the host itself says it."""
        return {name: self.host.run(["sh", "-c", command]).out for name, command in _SEEN.items()}

    def left(self) -> set[str]:
        """Return the kinds of what ``status --devices`` finds on the hosts."""
        ended = self.rocefab("status", "--devices", "--format", "json")
        return {row["kind"] for row in json.loads(ended.out)}

    def wipe(self) -> None:
        """Remove what earlier tests left, and boot, so that nothing of it runs."""
        before = self.host.first
        self.host.run(["sh", "-c", f"{_WIPE}; systemctl reboot"])
        self.host.wait_for_boot(before)

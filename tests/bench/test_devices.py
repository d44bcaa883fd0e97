"""How many devices `plan`, `verify`, `drift` and `apply` take for each second of processor time.

The lab and each command are processes of their own; the client's share is what the kernel counts
for the command and its children, the lab's share is apart from it. The lines of one device say what
a command costs whatever the number of devices is. `make bench-devices` writes the lowest figures to
docs/reference/speed.md.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.bench.figures import Figures
from tests.bench.lab_share import cpu_s
from tests.change import labs
from tests.cli.runs import ROCEFAB, ROOT, clean_environment
from tests.serve.servers import until

pytestmark = pytest.mark.benchmark

_SONIC = labs.INVENTORY.replace("7060X6-64PE", "ACS-SN5600").replace("ACS-MSN4700", "ACS-SN5600")
FABRICS = {
    "sonic": _SONIC,
    "eos": labs.INVENTORY.replace("ACS-MSN4700", "7060X6-64PE"),
    "junos": labs.JUNOS,
    "nxos": labs.NXOS,
    "cumulus": labs.CUMULUS,
    "comware7": labs.COMWARE7,
    "esonic": labs.ESONIC,
    "host": _SONIC,
}
#: Devices that are measured, units of 8 leaves each below 4 spines, and the hosts of each unit: as
#: many ports of a leaf face them.
SIZES = {"host": ((44, 4, 11), (200, 8, 25))}
_SWITCHES = ((44, 5, 16),)
READING = ("plan", "verify", "drift")
#: How often each command runs.
ROUNDS = 3


def inventory(folder: Path, text: str, units: int, hosts: int) -> Path:
    rows = ", ".join(
        f'{{name: su{one + 1}, hosts: "{_hosts(one, hosts)}"}}' for one in range(units)
    )
    text = text.replace("rails: 1", "rails: 8").replace(
        "units: [{name: su1, hosts: gpu1}]", f"units: [{rows}]"
    )
    text = text.replace("spines: {count: 1}", "spines: {count: 4, links_per_leaf: 1}")
    text = text.replace("10.255.0.0/24", "10.255.0.0/16").replace("10.254.0.0/24", "10.254.0.0/16")
    text = text.replace(
        "host: {gpus: 1, interfaces: eth1, rdma_devices: mlx5_1}",
        "host: {gpus: 8, interfaces: 'eth[1-8]', rdma_devices: 'mlx5_[1-8]'}",
    )
    return labs.write_inventory(folder, text)


def _hosts(unit: int, hosts: int) -> str:
    first = unit * hosts + 1
    return f"gpu{first:04}" if hosts == 1 else f"gpu[{first:04}-{first + hosts - 1:04}]"


@dataclass(frozen=True)
class Lab:
    folder: Path
    pid: int

    @property
    def environment(self) -> dict[str, str]:
        password = (self.folder / "password").read_text().strip()
        kept = clean_environment()
        kept.pop("PYTHONDONTWRITEBYTECODE", None)  # a user's commands find modules compiled
        return {
            **kept,
            "ROCEFAB_PASSWORD": password,
            "ROCEFAB_CONNECTIONS": str(self.folder / "connections.json"),
        }


@contextlib.contextmanager
def running(inventory_folder: Path, folder: Path):
    command = [*ROCEFAB, "lab", "up", str(inventory_folder), "--out", str(folder)]
    with (
        (folder.parent / "lab.out").open("wb") as out,
        subprocess.Popen(
            command, cwd=ROOT, env=clean_environment(), stdout=out, stderr=out
        ) as child,
    ):
        try:
            until(lambda: child.poll() is not None or (folder / "connections.json").exists(), "lab")
            yield Lab(folder, child.pid)
        finally:
            child.terminate()


def measured(lab: Lab, devices: int, *words: object, allowed: tuple[int, ...] = (0,)) -> float:
    """Run a command and print what it costs, and an exit code that is not 0.

    Returns
    -------
    float
        Seconds of processor time, without those of the lab.
    """
    before_s, begin_s = cpu_s(lab.pid), time.perf_counter()
    with (lab.folder / "out").open("wb") as out:
        child = subprocess.Popen(
            [*ROCEFAB, *(str(word) for word in words)],
            cwd=ROOT,
            env=lab.environment,
            stdout=out,
            stderr=out,
        )
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    passed_s, lab_s = time.perf_counter() - begin_s, cpu_s(lab.pid) - before_s
    own_s = used.ru_utime + used.ru_stime
    print(
        f"  {words[0]:6} of {devices:3}: {passed_s:6.1f} s; client {own_s:6.2f} s of processor "
        f"time, lab {lab_s:6.2f} s; {devices / own_s:5.1f} devices/s per core; "
        f"{used.ru_maxrss / 1024:.0f} MiB"
        f"{f'; exit code {child.returncode}' if child.returncode else ''}",
        flush=True,
    )
    assert child.returncode in allowed, (lab.folder / "out").read_text()[-2000:]
    return own_s


@dataclass
class Fleet:
    """The devices of one inventory, and the commands on them.

    Parameters
    ----------
    kind : tuple of str
        Options that choose all of them.
    """

    lab: Lab
    inventory: Path
    kind: tuple[str, ...]
    work: Path
    changes: int = 0

    def read(self, command: str, devices: int, *which: str) -> float:
        """Run a command that changes nothing; return its processor time."""
        words = (command, self.inventory, *self.kind, *which)
        if command == "plan":
            return measured(self.lab, devices, *words, "--out", self._plan, allowed=(0, 5))
        return measured(self.lab, devices, *words, allowed=(0, 4))

    def change(self, devices: int, *which: str) -> float:
        """Change the NTP server of some devices; return the processor time of `apply`."""
        file = self.inventory / "fabric.yaml"
        text = file.read_text()
        server = f"192.0.2.{10 + self.changes}"
        assert server in text
        self.changes += 1
        file.write_text(text.replace(server, f"192.0.2.{10 + self.changes}"))
        self.read("plan", devices, *which)
        return self.apply(devices)

    def apply(self, devices: int) -> float:
        """Apply the last plan, with a journal of its own."""
        state = self.work / f"state{time.monotonic_ns()}"
        return measured(self.lab, devices, "apply", self._plan, "--commit", "--state", state)

    @property
    def _plan(self) -> Path:
        return self.work / "plan.json"


@pytest.mark.parametrize(
    ("system", "size", "units", "hosts"),
    [(system, *size) for system in FABRICS for size in SIZES.get(system, _SWITCHES)],
)
def test_devices_per_core(
    tmp_path: Path, figures: Figures, system: str, size: int, units: int, hosts: int
) -> None:
    folder = inventory(tmp_path / "inventory", FABRICS[system], units, hosts)
    is_host = system == "host"
    kind = ("--hosts", "--no-switches") if is_host else ("--switches", "--no-hosts")
    print(f"\n{size} devices, {system}")
    with running(folder, tmp_path / "lab") as lab:
        fleet = Fleet(lab, folder, kind, tmp_path)
        fleet.read("plan", size)
        fleet.apply(size)
        print("  the lowest of each is kept")
        for devices, which in ((size, ()), (1, ("--only", "gpu0001" if is_host else "su1-rail0"))):
            lowest_s = {
                command: min(fleet.read(command, devices, *which) for _ in range(ROUNDS))
                for command in READING
            }
            if not is_host:
                lowest_s["apply"] = min(fleet.change(devices, *which) for _ in range(ROUNDS))
            figures["devices"].append({
                "system": system,
                "devices": devices,
                "cpu_s": {command: round(seconds, 2) for command, seconds in lowest_s.items()},
            })

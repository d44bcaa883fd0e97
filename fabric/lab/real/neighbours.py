"""LLDP: one lldpd for each device, which sends what its system would send."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from fabric.core.errors import LabError
from fabric.observe.hostfacts.lldp import parse_lldp

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fabric.lab.real.keeper import Keeper
    from fabric.observe.state import LldpNeighbour

#: Where lldpd locks its unprivileged half up (configure option of lldpd; the Debian package).
_CHROOT = "/run/lldpd"
#: lldpd's own is 30 s (lldpd(8)); a swapped cable is seen sooner.
INTERVAL_S = 5
_START_S = 20.0


def configuration(
    name: str, interfaces: Mapping[str, str], ids: Mapping[str, tuple[str, str]]
) -> str:
    """Return the lines that lldpcli gives lldpd at its start.

    Parameters
    ----------
    interfaces : mapping of str to str
        Name in the kernel of each port.
    ids : mapping of str to (str, str)
        Id and description that a port sends; a port that is not in it sends its MAC address and
        its name, as lldpd does unless told otherwise.
    """
    lines = [
        f"configure system hostname {name}",
        f"configure lldp tx-interval {INTERVAL_S}",
        f"configure system interface pattern {','.join(interfaces.values())}",
    ]
    for port, (identity, description) in ids.items():
        words = f'description "{description}"' if description else ""
        lines.append(
            f"configure ports {interfaces[port]} lldp portidsubtype local {identity} {words}"
        )
    return "\n".join([*lines, ""])


def start(keeper: Keeper, name: str, namespace: str, folder: Path, text: str) -> None:
    """Start lldpd of a device, and wait until it can be asked.

    Raises
    ------
    LabError
        When it does not start.
    """
    file = folder / "lldpd.conf"
    file.write_text(text, encoding="utf-8")
    argv = ["lldpd", "-d", "-u", str(folder / "lldpd.sock"), "-O", str(file)]
    script = f"mkdir -p {_CHROOT} && exec {' '.join(argv)}"
    keeper.start(namespace, ["sh", "-c", script], folder / "lldpd.log")
    until_s = time.monotonic() + _START_S
    while not (folder / "lldpd.sock").exists():
        if time.monotonic() > until_s:
            log = (folder / "lldpd.log").read_text(encoding="utf-8", errors="replace")
            raise LabError(name, f"lldpd does not start: {' '.join(log.split())}")
        time.sleep(0.05)


def heard(
    keeper: Keeper, name: str, namespace: str, folder: Path, interfaces: Mapping[str, str]
) -> dict[str, tuple[LldpNeighbour, ...]]:
    """Return the neighbours of a device by its port, as our parser reads them from lldpcli.

    Raises
    ------
    LabError
        When lldpd does not answer.
    """
    argv = ["lldpcli", "-u", str(folder / "lldpd.sock"), "show", "neighbors", "-f", "json"]
    done = keeper.run(namespace, argv)
    if done.code:
        raise LabError(name, f"lldpcli: {' '.join((done.out + done.err).split())}")
    ports = {kernel: port for port, kernel in interfaces.items()}
    return {ports.get(port, port): seen for port, seen in parse_lldp(done.out).items()}

"""A host: its rendered network files, brought into force by netplan and systemd-networkd.

networkd runs with folders of its own and a read-only ``/sys``, as in a container, where it does not
wait for udev (systemd, src/shared/udev-util.c, ``udev_available``). Without udev the ``.link``
files have no effect: the lab gives the NICs their names and MAC addresses. A veth has no permanent
MAC address, so that a match of it becomes one of the address.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.errors import LabError
from fabric.lab.real.keeper import batch
from fabric.lab.real.needs import NETPLAN_GENERATE, NETWORKD

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fabric.design.host_model import HostDesign
    from fabric.lab.real.keeper import Keeper

_SCRIPT = f"""
set -e
exec 3<"$1"
mount --make-rprivate /
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /etc/systemd/network
mkdir -p /etc/netplan /run/systemd/network /run/systemd/netif/links /run/systemd/netif/leases
mount -t tmpfs tmpfs /etc/netplan
chown -R systemd-network:systemd-network /run/systemd/netif
mount -t sysfs -o ro sysfs /sys
tar -x -C / <&3
exec 3<&-
{NETPLAN_GENERATE}
find /run/systemd/network -name '*.network' -exec sed -i 's/^PermanentMAC/MAC/' {{}} +
exec {NETWORKD}
"""
#: Time for networkd to bring all addresses into force.
_PATIENCE_S = 30.0


@dataclass(frozen=True, eq=False)
class Host:
    """One host of the lab; ``network`` are its rendered files by path on the host."""

    design: HostDesign
    network: Mapping[str, str]
    sysctl: str
    namespace: str
    folder: Path

    def up(self, keeper: Keeper) -> None:
        """Start networkd with the rendered files, and put the rendered sysctls into force."""
        batch(["link set dev lo up"], self.namespace)
        archive = self._archive()
        argv = ["unshare", "--mount", "sh", "-c", _SCRIPT, "sh", str(archive)]
        keeper.start(self.namespace, argv, self.folder / "networkd.log")

    def _archive(self) -> Path:
        import io
        import tarfile

        path = self.folder / "network.tar"
        with tarfile.open(path, "w") as archive:
            for name, text in self.network.items():
                content = text.encode()
                member = tarfile.TarInfo(name)
                member.size, member.mode = len(content), 0o644
                if name.startswith("etc/netplan"):
                    member.mode = 0o600
                archive.addfile(member, io.BytesIO(content))
        return path

    def settle(self, keeper: Keeper) -> None:
        """Wait until networkd has brought every address and rule into force.

        Raises
        ------
        LabError
            When it does not do so; with the end of its log.
        """
        until_s = time.monotonic() + _PATIENCE_S
        nics = (nic for nic in self.design.nics if nic.enabled)
        missing = {own.address for nic in nics for own in nic.addresses if own.address}
        while missing and time.monotonic() < until_s:
            missing -= self._addresses(keeper)
            if missing:
                time.sleep(0.1)
        if missing:
            log = (self.folder / "networkd.log").read_text(encoding="utf-8", errors="replace")
            last = "; ".join(log.splitlines()[-3:])
            raise LabError(self.design.name, f"networkd: {', '.join(sorted(missing))}: {last}")

    def _addresses(self, keeper: Keeper) -> set[str]:
        shown, rules = (
            [
                row
                for family in ("-4", "-6")
                for row in json.loads(keeper.run(self.namespace, ["ip", "-j", family, kind]).out)
            ]
            for kind in ("address", "rule")
        )
        sources = {rule.get("src") for rule in rules}
        return {
            entry["local"]
            for link in shown
            for entry in link.get("addr_info", ())
            if entry["local"] in sources and not entry.get("tentative")
        }

"""Names of the NICs of most hosts as the profile, and what differs as overrides."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import count, islice
from typing import TYPE_CHECKING, Any

from fabric.core import hostlist

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.exchange.plant import End, Nic, Plant


#: Default of `fabric.intent.host_model.HostProfile.management_interface`.
MANAGEMENT = "eth0"
#: Default of ``gpus`` there.
GPUS = 8


class HostProfile:
    """What most hosts of a plant have.

    Parameters
    ----------
    rails : int
        NICs of a host.
    base : mapping
        Section ``host`` of the base, whose names count where the source has none.

    Attributes
    ----------
    has_interfaces, has_rdma_devices : bool
        Whether the source names them for a whole host.
    """

    def __init__(self, plant: Plant, rails: int, base: Mapping[str, Any]) -> None:
        self.nic_ports = max((nic.nic_port for nic in plant.nics), default=0) + 1
        self._plant = plant
        self._ports = rails * self.nic_ports
        self._by_host: dict[str, dict[int, Nic]] = defaultdict(dict)
        for nic in plant.nics:
            self._by_host[nic.host][self._place(nic)] = nic
        interfaces, rdma_devices = self._usual("interface"), self._usual("rdma_device")
        self.has_interfaces = bool(interfaces)
        self.has_rdma_devices = bool(rdma_devices)
        self.interfaces = interfaces or self._of_base(base, "interfaces", "eth")
        self.rdma_devices = rdma_devices or self._of_base(base, "rdma_devices", "mlx5_")

    def section(self) -> dict[str, str]:
        """Return the fields of ``host`` that name the NICs."""
        return {
            "interfaces": folded(self.interfaces),
            "rdma_devices": folded(self.rdma_devices),
        }

    def overrides(self, addresses: Mapping[End, Mapping[str, str]]) -> list[dict[str, Any]]:
        """Return what differs, host by host, and addresses that do."""
        overrides = []
        for host in self._plant.hosts:
            own = self._by_host.get(host.name, {})
            nics = [self._override(own[place], addresses) for place in sorted(own)]
            override: dict[str, Any] = {"names": host.name}
            if host.rack:
                override["rack"] = host.rack
            if host.serial:
                override["serial"] = host.serial
            if any(nics):
                override["nics"] = [nic for nic in nics if nic]
            if len(override) > 1:
                overrides.append(override)
        return overrides

    def _place(self, nic: Nic) -> int:
        return (nic.rail or 0) * self.nic_ports + nic.nic_port

    def _override(
        self, nic: Nic, addresses: Mapping[End, Mapping[str, str]]
    ) -> dict[str, Any] | None:
        place = self._place(nic)
        override: dict[str, Any] = {}
        if nic.interface != self.interfaces[place]:
            override["interface"] = nic.interface
        if nic.rdma_device and nic.rdma_device != self.rdma_devices[place]:
            override["rdma_device"] = nic.rdma_device
        if nic.mac:
            override["mac"] = nic.mac
        override |= addresses.get((nic.host, nic.interface), {})
        if not override:
            return None
        port = {"nic_port": nic.nic_port} if nic.nic_port else {}
        return {"rail": nic.rail, **port, **override}

    def _usual(self, field: str) -> list[str]:
        """Return the names of most hosts that have them all; empty where none has."""
        rows = (
            tuple(getattr(nics[at], field) for at in range(self._ports))
            for nics in self._by_host.values()
            if len(nics) == self._ports
        )
        counts = Counter(names for names in rows if all(names))
        return list(counts.most_common(1)[0][0]) if counts else []

    def _of_base(self, base: Mapping[str, Any], key: str, word: str) -> list[str]:
        """Return the names of the base where they are as many, else those of the kernel's order."""
        value = base.get(key)
        if isinstance(value, str) and hostlist.count(value) == self._ports:
            return hostlist.expand(value)
        kept = {base.get("management_interface", MANAGEMENT), base.get("management_rdma_device")}
        names = (f"{word}{number}" for number in count())
        return list(islice((name for name in names if name not in kept), self._ports))


def folded(names: Sequence[str]) -> str:
    """Return a range text that stands for the names in their order."""
    text = hostlist.fold(names)
    return text if hostlist.expand(text) == list(names) else ",".join(names)


def management(plant: Plant, base: Mapping[str, Any]) -> str:
    """Return the management interface of the base, or where that is a NIC, the next free name."""
    interface: str = base.get("management_interface", MANAGEMENT)
    taken = {nic.interface for nic in plant.nics}
    names = (f"eth{number}" for number in count())
    return (
        interface if interface not in taken else next(name for name in names if name not in taken)
    )

"""Makes the facts of a host from its single readings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.observe.hostfacts.facts import HostFacts, NicFacts
from fabric.observe.hostfacts.readings import Readings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.hostfacts.lspci import PciDevice
    from fabric.observe.hostfacts.sysfs import PciPlace

Port = tuple[str, int]
#: Readings that list the RDMA ports of a host, the most exact first.
_LISTS = ("rdma_link", "ibdev2netdev", "gid_files", "show_gids", "ibstat")
#: The kernel has its files always, `show_gids` comes with the driver of NVIDIA.
_GIDS = ("gid_files", "show_gids")


def host_facts(host: str, texts: Mapping[str, str]) -> HostFacts:
    """Return the facts of a host.

    Parameters
    ----------
    host : str
        Its name in the inventory.
    texts : mapping
        Outputs by reading, as the registry ``readers`` names them: ``gid_files``, or with what was
        asked: ``mlnx_qos:eth1`` (network device), ``traffic_class:mlx5_0`` (RDMA device),
        ``lspci:0000:4b:00.0`` (PCI address).

    Notes
    -----
    No text is an error: what is missing or unreadable is None in the facts, and in ``unread``.
    """
    read = Readings(texts)
    return HostFacts(
        host=host,
        nics=_nics(read),
        topology=read.first("nvidia_topo"),
        routes=read.first("ip_route"),
        rules=read.first("ip_rule"),
        routes6=read.have("ip_route6"),
        rules6=read.have("ip_rule6"),
        neighbour_limits=read.first("sysctl_neighbours"),
        own_check=read.first("own_check"),
        unread=read.unread,
        raw=read.raw,
    )


def _nics(read: Readings) -> tuple[NicFacts, ...] | None:
    links, netdevs, *tables, devices = (read.have(name) for name in _LISTS)
    gids = next((table for table in tables if table is not None), ())
    ports: set[Port] = {(link.device, link.port) for link in links or ()}
    ports |= {(row.device, row.port) for row in netdevs or ()}
    ports |= {(gid.device, gid.port) for gid in gids}
    ports |= {(device.name, port.number) for device in devices or () for port in device.ports}
    if read.first(*_LISTS) is None:
        return None
    return tuple(_nic(read, port) for port in sorted(ports, key=_in_order))


def _in_order(port: Port) -> tuple[str, int, str, int]:
    """Return the key that puts ``mlx5_2`` before ``mlx5_10``."""
    name, number = port
    stem = name.rstrip("0123456789")
    return stem, len(name) - len(stem), name, number


def _nic(read: Readings, port: Port) -> NicFacts:
    device, number = port
    values = _rdma(read, port)
    field = f"nics.{device}"
    interface = read.agreed(f"{field}.interface", values.pop("interfaces"))
    known = dict(values)
    if interface is not None:
        known |= _interface(read, interface, up=values["up"])
    if interface is not None and values["link_layer"] != "InfiniBand":
        known |= _ethernet(read, interface)
    if interface is None:
        read.unread.setdefault(f"{field}.interface", "no reading names its network device")
    places = read.first("sysfs_class")
    address = read.agreed(
        f"{field}.pci_address",
        [places.rdma.get(device) if places else None, known.pop("bus_address", None)],
    )
    firmware = read.agreed(
        f"{field}.firmware", [known.pop("firmware"), known.pop("driver_firmware", None)]
    )
    if known["link_layer"] == "RoCE":
        known["traffic_class"] = read.first(f"traffic_class:{device}")
    return NicFacts(
        rdma_device=device,
        port=number,
        interface=interface,
        firmware=firmware,
        pci_address=address,
        **_pci(read, field, address),
        **known,
    )


def _find(rows: Any, port: Port) -> Any:
    return next((row for row in rows or () if (row.device, row.port) == port), None)


def _rdma(read: Readings, port: Port) -> dict[str, Any]:
    """Return what the tools of RDMA say of a port."""
    device, number = port
    link = _find(read.have("rdma_link"), port)
    netdev = _find(read.have("ibdev2netdev"), port)
    table = read.first(*_GIDS)
    gids = tuple(gid for gid in table or () if (gid.device, gid.port) == port)
    whole = next((item for item in read.first("ibstat") or () if item.name == device), None)
    stat = next((item for item in whole.ports if item.number == number), None) if whole else None
    up = link.state == "ACTIVE" if link else None
    up = netdev.up if up is None and netdev else up
    up = stat.state == "Active" if up is None and stat else up
    return {
        "interfaces": [
            link.interface if link else None,
            netdev.interface if netdev else None,
            *(gid.interface or None for gid in gids),
        ],
        "link_layer": _link_layer(whole, stat, link, gids),
        "up": up,
        "rate_bps": stat.rate_bps if stat and up else None,
        "model": whole.model if whole else None,
        "firmware": whole.firmware if whole else None,
        "gids": gids if table is not None else None,
        "hw_counters": _hw_counters(read, port),
        "active_mtu_bytes": (read.first(f"ibv_devinfo:{device}") or {}).get(number),
    }


def _link_layer(device: Any, port: Any, link: Any, gids: tuple[Any, ...]) -> str | None:
    if port:
        ethernet = "iWARP" if device.kind == "iWARP RNIC" else "RoCE"
        return "InfiniBand" if port.infiniband else ethernet
    if link and link.infiniband:
        return "InfiniBand"
    return "RoCE" if any(gid.version == "v2" for gid in gids) else None


def _hw_counters(read: Readings, port: Port) -> Mapping[str, int] | None:
    row = _find(read.first("hw_counters", "rdma_statistic"), port)
    return row.counters if row else None


def _interface(read: Readings, interface: str, *, up: bool | None) -> dict[str, Any]:
    """Return what the tools of the network say of a network device."""
    link = read.first(f"ethtool:{interface}")
    driver = read.first(f"ethtool_driver:{interface}")
    rows = read.first("ip_addr")
    row = next((item for item in rows or () if item.interface == interface), None)
    values: dict[str, Any] = {
        "mtu_bytes": row.mtu_bytes if row else None,
        "addresses": (*row.ipv4, *row.ipv6) if row else None,
        "driver": driver.driver if driver else None,
        "driver_firmware": driver.firmware if driver else None,
        "bus_address": driver.pci_address if driver else None,
        "counters": read.first(f"ethtool_statistics:{interface}"),
    }
    if link and link.rate_bps is not None and up is not False:
        values["rate_bps"] = link.rate_bps
    return values


def _ethernet(read: Readings, interface: str) -> dict[str, Any]:
    """Return what there is on Ethernet alone."""
    fec = read.first(f"ethtool_fec:{interface}")
    pause = read.first(f"ethtool_pause:{interface}")
    neighbours = read.first("lldp")
    return {
        "fec": fec.active if fec else None,
        "global_pause": pause.receive or pause.transmit if pause else None,
        "lldp": neighbours.get(interface, ()) if neighbours is not None else None,
        "dcqcn": read.first(f"ecn_files:{interface}"),
        "arp": read.first(f"sysctl_arp:{interface}"),
        **_qos(read, interface),
    }


def _qos(read: Readings, interface: str) -> dict[str, Any]:
    qos = read.first(f"mlnx_qos:{interface}", f"dcb_pfc:{interface}")
    nic_qos = read.have(f"mlnx_qos:{interface}")
    if nic_qos is not None:
        return {
            "qos": nic_qos,
            "dcbx": nic_qos.dcbx if nic_qos.dcbx != "unknown" else None,
            "trust": nic_qos.trust if nic_qos.trust != "unknown" else None,
            "pfc_priorities": tuple(number for number, bit in enumerate(nic_qos.pfc) if bit),
            "dscp_to_priority": nic_qos.dscp_to_priority,
        }
    on = tuple(number for number, bit in enumerate(qos.enabled) if bit) if qos else None
    flags = read.first(f"dcb_dcbx:{interface}") if qos else None
    return {
        "dcbx": ("os" if "host" in flags else "fw") if flags is not None else None,
        "pfc_priorities": on,
        "dscp_to_priority": read.first(f"dcb_app:{interface}") if qos else None,
    }


def _pci(read: Readings, field: str, address: str | None) -> dict[str, Any]:
    """Return what the tools of PCI say of a device."""
    if address is None:
        read.unread.setdefault(f"{field}.pci_address", "no reading names its PCI address")
        return {}
    cards = read.first(f"lspci:{address}")
    card = next((item for item in cards or () if item.address == address), None)
    places = read.have("sysfs_pci")
    place = next((item for item in places or () if item.address == address), None)
    numa = read.agreed(
        f"{field}.numa_node", [item.numa_node for item in (place, card) if item is not None]
    )
    return {
        "pcie": card,
        "bridge": _above(read, place),
        "numa_node": numa,
    }


def _above(read: Readings, place: PciPlace | None) -> PciDevice | None:
    """Return the PCI device right above another, when it was read."""
    if place is None or not place.bridges:
        return None
    rows = read.have(f"lspci:{place.bridges[-1]}")
    return next((row for row in rows or () if row.address == place.bridges[-1]), None)

"""What of a host is read beside its NICs' QoS, by subject: compared, or kept for a roll back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.design.host_kernel import kernel_parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.design.host_model import HostDesign, NicDesign

#: Drivers whose part of apply.sh sets the storm time.
_MLX5 = ("mlx5", "mlx5-ofed")
_GOVERNOR = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
_HUGEPAGES = "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages"


def settings(design: HostDesign, reader: str) -> dict[str, object]:
    """Return the planned value of each subject, None where it is only kept for the way back.

    Parameters
    ----------
    reader : str
        What reads the NICs back: ``mlnx_qos``, ``dcb`` or ``ip``.
    """
    nics = [nic for nic in design.nics if nic.enabled]
    # The table is one for the kernel: going back of one fabric must not shrink it under another.
    by_name: dict[str, object] = {
        f"sysctl:{name}": str(value)
        for name, value in kernel_parameters(design)
        if not (design.is_shared and ".gc_thresh" in name)
    }
    for nic in nics:
        by_name |= _routes(nic)
        if nic.pause_storm_ms and design.traits.nic.driver in _MLX5 and not design.no_lossless:
            by_name[f"storm:{nic.interface}"] = nic.pause_storm_ms
    for name, is_ipv6 in (("rules", False), ("rules6", True)):
        rules = sorted(
            f"priority {nic.rule_priority} from {one.address or one.network} table {nic.table}"
            for nic in nics
            for one in nic.addresses
            if one.is_ipv6 == is_ipv6
        )
        by_name |= {name: rules} if rules else {}
    kept = [*_of_host(design), *(name for nic in nics for name in _of_nic(design, nic, reader))]
    return by_name | dict.fromkeys(kept)


def _routes(nic: NicDesign) -> dict[str, object]:
    """Return the routes in the words of ``ip route``; a live one may say more behind them."""
    by_name: dict[str, object] = {}
    for one in nic.addresses:
        family = "6" if one.is_ipv6 else ""
        ways = [f"{pool} via {one.gateway} dev {nic.interface}" for pool in one.pools]
        table = [f"{one.network} dev {nic.interface}", *ways, "unreachable default"]
        by_name[f"routes{family}:{nic.interface}/{nic.table}"] = sorted(table)
        by_name |= {f"ways{family}:{nic.interface}": ways} if nic.in_main_table else {}
    return by_name


def _of_host(design: HostDesign) -> Iterator[str]:
    tuning = design.traits.tuning
    yield f"links:{design.own_name}"
    if tuning.governor:
        yield f"files:{_GOVERNOR}"
    if tuning.hugepages_1g is not None:
        yield f"files:{_HUGEPAGES}"
    if tuning.acs:
        yield "acs"


def _of_nic(design: HostDesign, nic: NicDesign, reader: str) -> Iterator[str]:
    if design.traits.tuning.max_read_request_bytes:
        yield f"read_request:{nic.interface}"
    if design.traits.static_neighbours and nic.gateway_mac:
        yield from (f"neighbour:{nic.interface}/{one.gateway}" for one in nic.addresses)
    if design.no_lossless:
        return
    yield f"cm:{nic.rdma_device}"
    if reader == "ip":
        return
    yield f"pause:{nic.interface}"
    if nic.receive_buffer_bytes:
        yield f"{'buffers' if reader == 'mlnx_qos' else 'dcb_buffer'}:{nic.interface}"
    if reader == "mlnx_qos":
        ecn = f"/sys/class/net/{nic.interface}/ecn"
        for priority in nic.qos.lossless_priorities:
            yield from (f"files:{ecn}/roce_{side}/enable/{priority}" for side in ("np", "rp"))

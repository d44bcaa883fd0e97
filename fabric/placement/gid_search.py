"""Settings of the user with which NCCL finds no GID, and takes index 0 without a word.

NVIDIA/nccl v2.21.5-1 ``src/transport/net_ib.cc`` (``ncclIbGetGidIndex``): a family that is not
named is IPv4; a range without a length, or of the other family, is ignored.
"""

from __future__ import annotations

from ipaddress import ip_network
from typing import TYPE_CHECKING

from fabric.core.findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Mapping
    from ipaddress import IPv4Network, IPv6Network

    from fabric.placement.job_host import Environment, UserValue

INDEX, FAMILY, RANGE = "NCCL_IB_GID_INDEX", "NCCL_IB_ADDR_FAMILY", "NCCL_IB_ADDR_RANGE"
#: What NCCL calls a family -> its version of IP.
FAMILIES = {"AF_INET": 4, "AF_INET6": 6}


def lost_gid(ours: Environment, users: Mapping[str, UserValue]) -> list[Finding]:
    """Return an error where a variable of the user leaves NCCL without a GID of a NIC."""
    values = ours.values | {name: item.value for name, item in users.items()}
    if FAMILY not in ours.values or not {INDEX, FAMILY, RANGE} & set(users):
        return []
    name, reason = _reason(values, ours.pools)
    if not reason:
        return []
    blamed = users.get(name) or next(users[each] for each in (FAMILY, RANGE) if each in users)
    return [
        Finding(
            "PLC019",
            Severity.ERROR,
            f"{reason}: NCCL takes GID index 0, which is RoCEv1 and link-local, and says nothing",
            f"use the values of rocefab: {FAMILY}={ours.values[FAMILY]} "
            f"{RANGE}={ours.values[RANGE]}, and no {INDEX}",
            position=blamed.position,
        )
    ]


def _reason(
    values: Mapping[str, str], pools: tuple[IPv4Network | IPv6Network, ...]
) -> tuple[str, str]:
    """Return the variable that leaves NCCL without a GID, and why; empty where it finds one."""
    index = values.get(INDEX, "-1")
    if index.isdecimal():
        return INDEX, "" if int(index) else f"{INDEX} is 0"
    version = FAMILIES.get(values[FAMILY], FAMILIES["AF_INET"])
    mine = [pool for pool in pools if pool.version == version]
    if not mine:
        return FAMILY, f"the NICs have no IPv{version} addresses, which {FAMILY} asks for"
    network = _range(values[RANGE])
    ignored = network is None or network.version != version
    if ignored or any(pool.overlaps(network) for pool in mine):  # type: ignore[arg-type]
        return RANGE, ""
    return RANGE, f"no NIC has an address of {network}, which {RANGE} asks for"


def _range(text: str) -> IPv4Network | IPv6Network | None:
    """Return a range as NCCL reads it; None where it ignores it."""
    try:
        return ip_network(text, strict=False) if "/" in text else None
    except ValueError:
        return None

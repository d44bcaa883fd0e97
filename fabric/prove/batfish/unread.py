"""The switches whose tenants Batfish does not read, and why."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from fabric.prove.batfish.forms import snapshot_writers
from fabric.prove.batfish.snapshot import needs_one_grammar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.design.model import DeviceDesign

#: Why a fabric is not read whose sessions over ports need the form of SONiC.
_ONE_GRAMMAR = "sessions over ports join systems, and Batfish is given the form of SONiC"


def unread_tenants(devices: Mapping[str, DeviceDesign]) -> dict[str, tuple[str, ...]]:
    """Return the switches whose VRFs or EVPN routes Batfish does not read, by the reason.

    A switch without a VRF of a tenant and without EVPN is read as in any fabric.
    """
    result: dict[str, list[str]] = defaultdict(list)
    one_grammar = needs_one_grammar(devices)
    for name, design in devices.items():
        if not design.vrfs and not design.evpn:
            continue
        reason = _ONE_GRAMMAR if one_grammar else _reason(design)
        if reason:
            result[reason].append(name)
    return {reason: tuple(names) for reason, names in result.items()}


def unread_lines(devices: Mapping[str, DeviceDesign]) -> list[str]:
    """Return the same in words, a line for each reason."""
    reasons = unread_tenants(devices)
    return [
        f"tenants not read by Batfish: {reason}: {', '.join(names)}"
        for reason, names in reasons.items()
    ]


def _reason(design: DeviceDesign) -> str:
    if design.platform not in snapshot_writers:
        return f"Batfish has no grammar for {design.platform}"
    form = snapshot_writers[design.platform]
    return form.evpn_unread if design.evpn else form.vrfs_unread

"""What nodes of virtual labs are, and the ports that their interfaces stand for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.exchange.values import meant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: Our name of the system by kind of a node: srl-labs/containerlab, docs/manual/kinds, and device
#: of netlab: ipspace/netlab, netsim/devices. Empty: a switch whose system rocefab does not have.
SYSTEMS: dict[str, str] = {
    **dict.fromkeys(("ceos", "arista_ceos", "arista_veos", "vr-veos", "eos"), "eos"),
    **dict.fromkeys(("sonic-vs", "sonic-vm", "sonic", "dell_sonic", "plvision_sonic"), "sonic"),
    **dict.fromkeys(("cvx", "nvidia_cumulusvx", "cumulus", "cumulus_nvue"), "cumulus"),
    **dict.fromkeys(("cisco_n9kv", "vr-n9kv", "nxos"), "nxos"),
    **dict.fromkeys(
        (
            *("juniper_vqfx", "vr-vqfx", "juniper_vjunosswitch", "juniper_vjunosevolved"),
            *("juniper_cjunosevolved", "junos", "vjunos-switch", "vptx"),
        ),
        "junos",
    ),
    **dict.fromkeys(("srl", "nokia_srlinux", "srlinux", "dellos10", "arubacx", "frr"), ""),
}
#: Interfaces that are numbers: of Linux, and of SR Linux (docs/manual/kinds/srl.md).
_NUMBER = re.compile(r"(?:eth|e1-|ethernet-1/)([1-9][0-9]{0,3})")
_ARISTA = re.compile(r"(?:eth|et)([1-9][0-9]*(?:_[1-9][0-9]*){1,2})")


def kind_and_role(
    words: Iterable[str], kind: str, meanings: Mapping[str, str]
) -> dict[str, object]:
    """Return kind, role and system of a node.

    Parameters
    ----------
    words : iterable of str
        What the source calls its role or group; the first that is known counts.
    kind : str
        The kind of container, or type of device.
    meanings : mapping
        Role by the word that the source has, as the user tells.
    """
    system = SYSTEMS.get(kind)
    told = (meant(word, meanings) for word in (*words, kind) if word)
    of_kind, role = next((both for both in told if both), ("", ""))
    if not of_kind and system is not None:
        of_kind = "switch"
    return {"kind": of_kind, "role": role, "system": system if of_kind == "switch" else ""}


def port_of(interface: str, kind: str) -> tuple[str, int | None]:
    """Return the port that an interface stands for, and its number where that is all it tells."""
    named = _ARISTA.fullmatch(interface) if SYSTEMS.get(kind) == "eos" else None
    if named:
        return f"Ethernet{named[1].replace('_', '/')}", None
    number = _NUMBER.fullmatch(interface)
    return interface, int(number[1]) if number else None

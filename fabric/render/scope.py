"""What is rendered where other tools own a part of the configuration (``scope: merge``)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core.artefact import Artefact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.design.model import DeviceDesign

#: Comment in the first line of a file that is to be merged.
MARK = "Merged by rocefab into what runs: lines of others are kept."
_MARK_KIND = "scope"
#: In the file that a switch of a fabric with tenants has, also where no tenant has a NIC.
_TENANTS = "VRFs named Vrf and a number are those of tenants."
TENANTS_KIND = "tenants"
#: Files of `mark` and `tenants_mark`.
MARK_FILES = ("scope.txt", "tenants.txt")


def scoped(design: DeviceDesign) -> DeviceDesign:
    """Return what is rendered of a switch: all of it, or without what others may use.

    Ports without a cable, NTP and syslog servers are not ours when it is merged.
    """
    if design.scope != "merge":
        return design
    used = tuple(port for port in design.ports if port.kind != "unused")
    return replace(design, ports=used, ntp_servers=(), syslog_servers=())


def marked(design: DeviceDesign, text: str, comment: str) -> str:
    """Return a file with the mark in its first line when it is to be merged."""
    return f"{comment} {MARK}\n{text}" if design.scope == "merge" else text


def is_marked(text: str) -> bool:
    """Tell whether a file is to be merged."""
    return text.partition("\n")[0].endswith(MARK)


def mark(design: DeviceDesign) -> Artefact:
    """Return the mark as a file, for systems whose own file has no comments."""
    path = f"switches/{design.name}/{MARK_FILES[0]}"
    return Artefact(design.name, design.platform, _MARK_KIND, path, f"{MARK}\n".encode())


def is_merged(artefacts: Iterable[Artefact]) -> bool:
    """Tell whether the mark is among the files of a switch."""
    return any(one.kind == _MARK_KIND for one in artefacts)


def tenants_mark(design: DeviceDesign) -> list[Artefact]:
    """Return the file that says that the fabric has tenants; nothing where it has none."""
    if not design.has_tenants:
        return []
    path = f"switches/{design.name}/{MARK_FILES[1]}"
    text = f"{_TENANTS}\n".encode()
    return [Artefact(design.name, design.platform, TENANTS_KIND, path, text)]


def has_tenants(artefacts: Iterable[Artefact]) -> bool:
    """Tell whether the files of a switch are those of a fabric with tenants."""
    return any(one.kind == TENANTS_KIND for one in artefacts)

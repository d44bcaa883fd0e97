"""Releases as each system writes them, and whether a device runs the planned one.

A planned release may be a train: ``5.14`` is met by 5.14.0 and by 5.14.1. Forms that compare are
those of the functions here; any other text is known only to be equal or not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

#: Numbers and letters of a release, most significant first; None for a text of another form.
ReleaseKey: TypeAlias = "Callable[[str], tuple[str, ...] | None]"


def nxos(text: str) -> tuple[str, ...] | None:
    """Read ``10.4(3)``, ``10.4(3)F``, ``9.3(6a)`` or ``9.3.6``.

    Source: cisco.com Nexus 9000 guides, such as ``10.5(3)F``; ``nxos_ver_str`` of NX-API.
    """
    return _parts(r"(\d+)\.(\d+)(?:\((\d+[a-z]?)\)|\.(\d+))([A-Z]\d?)?", text)


def eos(text: str) -> tuple[str, ...] | None:
    """Read ``4.32.2F``, ``4.32.2.1F`` or ``4.32``.

    Source: arista.com, releases of TOIs such as ``4.35.0F``; ``version`` of eAPI.
    """
    return _parts(r"(\d+)\.(\d+)(?:\.(\d+))?(?:\.(\d+))?([A-Z])?", text)


def junos(text: str) -> tuple[str, ...] | None:
    """Read ``23.4R2``, ``23.4R2-S3``, ``23.4R2-S3.5``, ``23.4R2-EVO`` or ``23.4X100-D20``.

    Whether it is Evolved follows from the switch, and is not compared.
    Source: juniper.net release notes (``23.4R2-EVO``, ``23.4R2-S3``, ``23.4X100-D20``).
    """
    return _parts(r"(\d+)\.(\d+)([RX]\d+)(?:-([SD]\d+))?(?:\.(\d+))?(?:-EVO)?", text)


def sonic(text: str) -> tuple[str, ...] | None:
    """Read ``202505``, ``202505.1``, ``master``, and builds: ``SONiC.202505.1047-8b9de06``.

    Source: sonic-net/sonic-buildimage, branches and ``build_version`` of sonic_version.yml.
    """
    return _parts(r"(?:SONiC\.)?(20\d{4}|master)(?:\d\d)?(?:\.(\d+))?(?:[-.+].*)?", text)


def cumulus(text: str) -> tuple[str, ...] | None:
    """Read ``5.14`` or ``5.14.0``.

    Source: CumulusNetworks/docs, content/cumulus-linux-514.
    """
    return _parts(r"(\d+)\.(\d+)(?:\.(\d+))?", text)


def vrp8(text: str) -> tuple[str, ...] | None:
    """Read ``V300R023C00`` or ``V300R023C00SPC500``.

    Source: CloudEngine guide V300R023C00, ``display version``.
    """
    return _parts(r"(V\d{3})(R\d{3})(C\d{2})(SPC\d+)?", text)


def comware7(text: str) -> tuple[str, ...] | None:
    """Read ``R6710``, ``R6710P01`` or ``7.1.070``; the two do not compare with each other.

    Source: H3C, ``display version``: version 7.1.070, release 6710.
    """
    return _parts(r"(R\d{4})(P\d+)?", text) or _parts(r"(7)\.(1)\.(\d{3})", text)


def esonic(text: str) -> tuple[str, ...] | None:
    """Read ``4.4.0``, and what a switch shows: ``SONiC-OS-4.2.1-Enterprise_Premium``.

    Source: Dell, Enterprise SONiC Distribution user guides, such as 4.4.0.
    """
    return _parts(r"(?:SONiC-OS-)?(\d+)\.(\d+)(?:\.(\d+))?(?:-Enterprise_\w+)?", text)


RELEASE_KEYS: dict[str, ReleaseKey] = {
    form.__name__: form for form in (nxos, eos, junos, sonic, cumulus, vrp8, comware7, esonic)
}


def has_form(system: str, release: str) -> bool:
    """Tell whether a release is of the form of its system, so that it can be compared."""
    key = RELEASE_KEYS.get(system)
    return key is not None and key(release) is not None


def runs_planned(system: str, planned: str, running: str) -> bool | None:
    """Tell whether a device runs a planned release, or one of its train.

    None where that is not known: the device says nothing or less than is planned, or a text is of
    no known form.
    """
    if not running:
        return None
    if planned == running:
        return True
    key = RELEASE_KEYS.get(system)
    wanted, has = (key(planned), key(running)) if key else (None, None)
    if wanted is None or has is None or (system == "comware7" and wanted[0][0] != has[0][0]):
        return None
    if len(has) < len(wanted) and wanted[: len(has)] == has:
        return None
    return has[: len(wanted)] == wanted


def _parts(pattern: str, text: str) -> tuple[str, ...] | None:
    match = re.fullmatch(pattern, text)
    return tuple(part for part in match.groups() if part) if match else None

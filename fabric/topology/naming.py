"""Names of NICs, the rail of each GPU, and what to write in place of a name that nothing has."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.platforms.same_hardware import close_models

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabric.intent.host_model import HostTraits
    from fabric.intent.inventory import Intent
    from fabric.platforms.model import Sku
    from fabric.topology.model import Fabric


_MODEL = "switch model"
#: Where a person finds the names of a kind of thing.
_LISTED = {
    "tenant": "tenants",
    "switch": "topology",
    "leaf": "topology",
    "spine": "topology",
    "super-spine": "topology",
    _MODEL: "platforms",
    "host": "hosts",
    "rail": "hosts",
    "NIC port": "hosts",
    "switch or host": "links",
    "port": "links",
    "designed uplink on": "links",
}
#: Kinds whose names are the numbers of a range: one beyond it is no slip of the pen.
_IN_RANGES = frozenset({
    *("host", "switch", "leaf", "spine", "super-spine", "switch or host", "rail", "NIC port"),
})
_DIGITS = "0123456789"
#: Last digits of a number, which count where names are compared. Ours.
_MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class NicNames:
    """Names of one NIC on its host."""

    interface: str
    rdma_device: str


def rail_of_gpu(gpu: int, gpus: int, rails: int) -> int:
    """Return the rail whose NIC is nearest to a GPU: GPUs are shared out in blocks, in order.

    Parameters
    ----------
    gpu : int
        Number of the GPU, 0 to ``gpus - 1``.
    gpus, rails : int
        GPUs and rails of the host, >= 1.
    """
    return gpu * rails // gpus


def rails_of_gpus(traits: HostTraits, gpus: int, rails: int) -> tuple[int, ...]:
    """Return the rail of each GPU: what the inventory tells, else GPUs are shared out in order."""
    rail_by_gpu = {gpu: rail for rail, near in enumerate(traits.nic.gpus[:rails]) for gpu in near}
    return tuple(rail_by_gpu.get(gpu, rail_of_gpu(gpu, gpus, rails)) for gpu in range(gpus))


@lru_cache(maxsize=64)
def _profile(interfaces: str, rdma_devices: str) -> tuple[NicNames, ...]:
    return tuple(
        NicNames(interface, device)
        for interface, device in zip(
            hostlist.expand(interfaces), hostlist.expand(rdma_devices), strict=False
        )
    )


def nic_names(fabric: Fabric, host: str) -> tuple[NicNames, ...]:
    """Return the names of the NIC ports of a host, as ``names_in``."""
    return names_in(fabric.intent, host)


def names_in(intent: Intent, host: str) -> tuple[NicNames, ...]:
    """Return the names of the NIC ports of a host, by rail and port: the profile's, or its own.

    One beyond the profile, which ``check`` reports, is called ``rail<number>``.
    """
    file, profile = intent.fabric, intent.fabric.host
    count = file.rails * file.nic_ports
    names = list(_profile(profile.interfaces, profile.rdma_devices))[:count]
    names += [NicNames(f"rail{rail}", f"rail{rail}") for rail in range(len(names), count)]
    for override in intent.host_overrides.get(host, []):
        for nic in override.value.nics:
            number = nic.rail * file.nic_ports + nic.nic_port
            old = names[number]
            names[number] = NicNames(
                nic.interface or old.interface, nic.rdma_device or old.rdma_device
            )
    return tuple(names)


#: A limit that we chose: a million unknown names take seconds to fold.
_MOST_FOLDED = 10_000
#: Names that a question writes out, and that are looked for by their spelling: our choices.
_MOST_ASKED, _MOST_CLOSE = 3, 20


def unknown(kind: str, names: Sequence[str]) -> str:
    """Return that there is no thing of a kind with some names, which are folded."""
    shown = hostlist.in_short(names[:_MOST_FOLDED]) if len(names) > 1 else names[0]
    more = len(names) - _MOST_FOLDED
    return f"there is no {kind} {shown!a}{f' (and {more:,} more)' if more > 0 else ''}"


def unpadded(name: str) -> str:
    """Return a name without zeros before its numbers: gpu1 is meant to be gpu01."""
    return re.sub(r"(?<!\d)0+(?=\d)", "", name)


def port_hint(model: Sku, name: str) -> str:
    """Return what to write in place of an unknown name of a port: it may be an alias of one."""
    meant = model.aliases().get(name.lower())
    return f"did you mean {meant!r}?" if meant else hint("port", name, model.port_numbers())


def meant_port(model: Sku, name: str) -> str:
    """Return the port that a name stands for; empty where there is no such port, or several."""
    ports = model.port_numbers()
    alias = model.aliases().get(name.lower())
    likely = [alias] if alias else [name] if name in ports else _meant(name, [*ports])
    return likely[0] if len(likely) == 1 else ""


def hint(kind: str, name: str, known: Iterable[str], lists: str = "") -> str:
    """Return what to write in place of an unknown name of a kind of thing.

    Parameters
    ----------
    lists : str
        What to do where no name is close; the command that lists them where it is empty.
    """
    lists = lists or _lists(kind)
    if kind == _MODEL:
        close = close_models(name, known)
        return f"did you mean {' or '.join(close)}?" if close else lists
    names = list(known)
    meant, first = hostlist.with_brackets(name)
    if first in names:
        return f"write the range as {meant}"
    if likely := _meant(name, names):
        return _question(likely)
    numbered = [one for one in names if _letters(one) == _letters(name)]
    start = name.rstrip(_DIGITS)
    in_range = [one for one in numbered if one.rstrip(_DIGITS) == start]
    if in_range and kind in _IN_RANGES:
        return f"known: {hostlist.fold(in_range)}"
    if numbered:
        return _question([_nearest(name, numbered)])
    close = _closest(name, names)
    return _question(close) if close else lists


def _question(names: Sequence[str]) -> str:
    """Return whether some names are meant: all of them, or how many and the first ranges."""
    if len(names) > _MOST_ASKED:
        return f"did you mean one of {len(names):,}: {hostlist.in_short(names)}?"
    return f"did you mean {' or '.join(map(repr, names))}?"


def _lists(kind: str) -> str:
    return f"`rocefab show {_LISTED[kind]}` lists them"


def _meant(name: str, names: Sequence[str]) -> list[str]:
    """Return the names that differ in zeros alone, or of which it is the beginning or the end."""
    if same := [one for one in names if unpadded(one) == unpadded(name)]:
        return same
    whole = re.compile(rf"{re.escape(name)}\D|.*[^A-Za-z0-9]{re.escape(name)}$", re.DOTALL)
    return [one for one in names if whole.match(one)] if name else []


def _closest(name: str, names: Sequence[str]) -> list[str]:
    """Return the names that are spelled most alike; several may be."""
    close = difflib.get_close_matches(name, names, n=_MOST_CLOSE)
    ratios = {one: difflib.SequenceMatcher(None, one, name).ratio() for one in close}
    return sorted(one for one in ratios if ratios[one] == ratios[close[0]])


def _letters(name: str) -> str:
    return re.sub(r"\d+", "0", name)


def _nearest(name: str, names: Sequence[str]) -> str:
    """Return the name whose numbers are nearest, the first ones before the last."""
    numbers = _numbers(name)

    def distance(other: str) -> list[int]:
        return [abs(a - b) for a, b in zip(_numbers(other), numbers, strict=True)]

    return min(names, key=distance)


def _numbers(name: str) -> list[int]:
    """Return the numbers of a name by their last digits: Python reads no more than 4,300."""
    return [int(digits[-_MOST_DIGITS:]) for digits in re.findall(r"\d+", name)]

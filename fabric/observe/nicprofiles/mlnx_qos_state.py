"""Output of ``mlnx_qos -i NIC`` (Mellanox/mlnx-tools python/mlnx_qos)."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.observe.nicprofiles import ProfileForm, profile_forms
from fabric.observe.nicprofiles.record import PRIORITIES, Fields, NicProfile, NicValue
from fabric.observe.saved.model import kind_of_text
from fabric.observe.saved.reading import qos_after_prompt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.hostfacts.mlnx_qos import NicQos

NAME = "mlnx-qos"


def _matches(text: str) -> bool:
    return kind_of_text(text) == "mlnx_qos"


def _read(text: str, file: str) -> list[NicProfile]:
    return [NicProfile(form=NAME, file=file, line=1, **_values(text))]


@lru_cache(256)  # NICs of a fabric are alike
def _values(text: str) -> Fields:
    """Return the values that an output has, by the fields of the record."""
    return values_of(qos_after_prompt(text), text)


def values_of(qos: NicQos, text: str) -> Fields:
    """Return the values of a NIC, by the fields of the record.

    Parameters
    ----------
    text : str
        What was read, for the lines.
    """
    lines = _lines(text)
    rows = [NicValue(number, lines[f"prio:{number}"]) for number in range(PRIORITIES)]
    values: Fields = {
        "pfc": NicValue(frozenset(n for n, on in enumerate(qos.pfc) if on), lines["enabled"]),
        "dscp_to_priority": {dscp: rows[number] for dscp, number in qos.dscp_to_priority.items()},
    }
    if qos.trust in ("dscp", "pcp"):
        values["trust"] = NicValue(qos.trust, lines["Priority"])
    if qos.cable_m is not None:
        values["cable_m"] = NicValue(qos.cable_m, lines["Cable"])
    return values | _buffers(qos, lines["Receive"])


def _lines(text: str) -> Mapping[str, int]:
    """Return the first line that begins with each word; 1 where none does."""
    lines: dict[str, int] = defaultdict(lambda: 1)
    for number, line in enumerate(text.splitlines(), 1):
        lines.setdefault(line.split(maxsplit=1)[0] if line.strip() else "", number)
    return lines


def _buffers(qos: NicQos, line: int) -> Fields:
    """Return the buffer of each priority, and which are shared."""
    places, sizes = qos.priority_to_buffer, qos.buffer_bytes
    if not places or not sizes:
        return {}
    rows = {number: NicValue(sizes[place], line) for number, place in enumerate(places)}
    shared = frozenset(n for n, place in enumerate(places) if places.count(place) > 1)
    return {"buffer_bytes": rows, "shared_buffers": shared}


profile_forms.add(NAME)(ProfileForm("the output of mlnx_qos", _matches, _read))

"""Outputs of iproute2's ``dcb -j pfc``, ``app`` and ``buffer show dev NIC``, one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.hostfacts.dcb import parse_dcb_app, parse_dcb_buffer, parse_dcb_pfc
from fabric.observe.nicprofiles import ProfileForm, profile_forms
from fabric.observe.nicprofiles.record import Fields, NicProfile, NicValue, line_of
from fabric.observe.saved.model import kind_of_text

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME = "dcb"


def _read(text: str, file: str) -> list[NicProfile]:
    fields = _READERS[kind_of_text(text)](text)
    return [NicProfile(form=_NAME, file=file, line=1, **fields)]


def _pfc(text: str) -> Fields:
    """Return the priorities; only one driver takes ``delay`` for metres, and none is named."""
    enabled = parse_dcb_pfc(text).enabled
    paused = frozenset(number for number, on in enumerate(enabled) if on)
    return {"pfc": NicValue(paused, _line(text, "prio_pfc"))}


def _app(text: str) -> Fields:
    line = _line(text, "dscp_prio")
    marks = {dscp: NicValue(number, line) for dscp, number in parse_dcb_app(text).items()}
    return {"dscp_to_priority": marks}


def _buffer(text: str) -> Fields:
    buffers, line = parse_dcb_buffer(text), _line(text, "buffer_size")
    places, sizes = buffers.priority_to_buffer, buffers.buffer_bytes
    return {
        "buffer_bytes": {n: NicValue(sizes[place], line) for n, place in enumerate(places)},
        "shared_buffers": frozenset(n for n, one in enumerate(places) if places.count(one) > 1),
    }


def _line(text: str, member: str) -> int:
    return line_of(text, max(text.find(f'"{member}"'), 0))


_READERS: dict[str, Callable[[str], Fields]] = {
    "dcb_pfc": _pfc,
    "dcb_app": _app,
    "dcb_buffer": _buffer,
}
profile_forms.add(_NAME)(
    ProfileForm("the output of dcb -j", lambda text: kind_of_text(text) in _READERS, _read)
)

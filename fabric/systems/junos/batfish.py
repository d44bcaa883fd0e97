"""Junos in Batfish: the lines of ``set``, since the form with braces loses whole statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.prove.batfish.forms import Form, snapshot_writers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import Configured

_KIND = "set"
_QOS = (
    r"dedicated-buffer|congestion-notification-profile"
    r"|interfaces \S+ congestion-notification-profile"
    r"|forwarding-classes class \S+ (no-loss|pfc-priority)"
    r"|schedulers \S+ explicit-congestion-notification"
)


def _write(name: str, texts: Mapping[str, str], _: Configured) -> dict[str, bytes]:
    return {f"configs/{name}.cfg": texts[_KIND].encode()}


snapshot_writers.add("junos")(
    Form(
        kind=_KIND,
        formats=("FLAT_JUNIPER", "JUNIPER"),
        write=_write,
        harmless=(
            rf"set class-of-service ({_QOS})",
            r"set routing-options forwarding-table ecmp-fast-reroute",
            r"set protocols rstp (bpdu-block-on-edge|disable)",
        ),
    )
)

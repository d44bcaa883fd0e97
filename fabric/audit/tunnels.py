"""Tunnels and VRFs of one switch: what they do to the lossless class, and what joins customers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.audit.fault import Fault
from fabric.observe.configuration.tunnels import tunnel_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.observe.configuration import Configured
    from fabric.observe.configuration.lossless import Lossless
    from fabric.observe.configuration.vrfs import ConfiguredVrf

_RULES = {"dscp": "AUD043", "ecn": "AUD044", "mark": "AUD045"}
#: Kinds of routes that a VRF announces to other leaves only by a policy.
_FOREIGN = ("default", "kernel", "static")


def judge_header(switch: Lossless, configured: Configured | None, text: str) -> Iterator[Fault]:
    """Yield what the header of tunnels lacks; without a lossless class it does no harm.

    Parameters
    ----------
    configured : Configured or None
        What the VRF reader says; where it says nothing, lines of the text decide.
    """
    if not any(port.lossless for port in switch.ports.values()):
        return
    if switch.system in tunnel_lines:
        for line, number in tunnel_lines[switch.system].faults(text):
            yield Fault(_RULES[line.effect], "", number, line.message)
    elif configured is not None and configured.evpn is not None and configured.evpn.source:
        evpn = configured.evpn
        where = evpn.source_line or evpn.line
        for rule, value, words in (
            ("AUD043", evpn.copies_dscp, "the outer header has not the DSCP of the packet"),
            ("AUD044", evpn.copies_ecn, "the outer header has ECN 0, so that it is never marked"),
            ("AUD045", evpn.restores_ecn, "a mark of the outer header does not reach the packet"),
        ):
            if value is False:
                yield Fault(rule, "", where, words, is_absence=True)


def judge_vrfs(configured: Configured) -> Iterator[Fault]:
    """Yield what joins two VRFs of one switch, or a VRF and the default one."""
    for vrf, first in configured.doubled_vnis():
        message = f"VRF {vrf.name} and VRF {first.name} have VNI {vrf.vni}"
        yield Fault("AUD046", "", vrf.vni_line or vrf.line, message)
    for vrf in (one for one in configured.vrfs.values() if one.vni):
        yield from _leaks(vrf)
        for line in vrf.redistributions:
            if line.kind in _FOREIGN and line.policy not in configured.policies:
                message = f"VRF {vrf.name} announces {line.kind} routes without a policy"
                yield Fault("AUD048", "", line.line, message)


def _leaks(vrf: ConfiguredVrf) -> Iterator[Fault]:
    if vrf.falls_through:
        message = f"VRF {vrf.name} looks up in the main table what it does not know"
        yield Fault("AUD047", "", vrf.line, message, is_absence=True)
    for line in vrf.leaks:
        if line.source in ("", "default"):
            message = f"VRF {vrf.name} has routes of the default VRF"
            yield Fault("AUD047", "", line.line, message)

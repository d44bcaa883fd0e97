"""NICs whose outputs were saved on their host, as profiles: one for each file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.nicprofiles.mlnx_qos_state import NAME, values_of
from fabric.observe.nicprofiles.record import NicProfile, NicValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.observe.saved.model import Output, SavedHost, SavedNic


def profiles_of_nic(host: SavedHost, nic: SavedNic) -> Iterator[NicProfile]:
    """Yield what the outputs of a host say of one of its NICs."""
    if nic.qos:
        yield _profile(nic.output, nic, **values_of(nic.qos, nic.output.text))
    for mark in nic.marks:
        if mark.dscp is not None:
            value = NicValue(mark.dscp, mark.output.line("^Global"))
            yield _profile(mark.output, nic, dscp=value)
    if nic.pauses:
        line = nic.pauses.line(r"^(RX|TX):\s*on")
        yield _profile(nic.pauses, nic, link_pause=NicValue(value=True, line=line))
    addresses = host.outputs.get(("ip_addr", ""))
    if nic.addresses and addresses:
        line = addresses.line(rf'"ifname": ?"{nic.name}"')
        yield _profile(addresses, nic, mtu_bytes=NicValue(nic.addresses.mtu_bytes, line))


def _profile(output: Output, nic: SavedNic, **fields: object) -> NicProfile:
    return NicProfile(form=NAME, file=str(output.file), line=1, nic=nic.name, **fields)  # type: ignore[arg-type]

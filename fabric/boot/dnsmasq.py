"""Reservations for dnsmasq (dnsmasq(8); tried with 2.90)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.boot.kea import LEASE_S
from fabric.boot.leases import boot_of
from fabric.boot.model import CLIENT_ID, INSTALLER_URL, ONIE_CLASS, TFTP_ADDRESSES, zero_and_serial

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.boot.leases import Lease
    from fabric.boot.model import Answer
    from fabric.topology.model import ManagementEnds

#: What Debian's servers of TFTP serve (tftpd-hpa, /etc/default).
TFTP_ROOT = "/srv/tftp"
#: Tag of requests of ONIE; no device has such a name.
_ONIE = "vendor:onie"
#: dnsmasq(8), --dhcp-range: the shortest lease. The system that is installed asks with another
#: client id, and gets the address when that of ONIE has ended.
_ONIE_S = 120


def dnsmasq(leases: Sequence[Lease], ends: ManagementEnds) -> str:
    """Return the configuration of dnsmasq for these devices and no other one."""
    lines = [
        "# DHCP for the management network; no DNS.",
        "port=0",
        "dhcp-authoritative",
        f"dhcp-range={ends.subnet.network_address},static,{ends.subnet.netmask},{LEASE_S}",
        f"dhcp-option=option:router,{ends.gateway}",
    ]
    if any(boot.tftp for lease in leases if (boot := boot_of(lease.device.platform))):
        lines += ["enable-tftp", f"tftp-root={TFTP_ROOT}"]
    marks = {(lease.match.option, lease.match.mark) for lease in leases if lease.match.mark}
    lines += [_match(_vendor(mark), option, mark) for option, mark in sorted(marks)]
    if any(lease.installer for lease in leases):
        lines.append(f"dhcp-vendorclass=set:{_ONIE},{ONIE_CLASS}")
    for lease in leases:
        lines += ["", *_lease(lease, ends), *_installer(lease, ends)]
    return "\n".join(lines) + "\n"


def _lease(lease: Lease, ends: ManagementEnds) -> Iterator[str]:
    device, match = lease.device, lease.match
    if match.option and not match.is_whole:
        yield _match(device.name, match.option, match.content)
        tags = f"tag:{device.name}" + (f",tag:{_vendor(match.mark)}" if match.mark else "")
        yield (
            f"dhcp-range={tags},{device.address},{device.address},{ends.subnet.netmask},{LEASE_S}"
        )
        yield f'dhcp-option-force=tag:{device.name},12,"{device.name}"'
    else:
        content = match.content.hex(":")
        known = f"id:{content}" if match.option == CLIENT_ID else content
        yield f"dhcp-host={known},set:{device.name},{device.address},{device.name},{LEASE_S}"
    for answer in lease.answers:
        yield from _answer(device.name, answer)


def _match(tag: str, option: int, content: bytes) -> str:
    return f'dhcp-match=set:{tag},{option},"{content.decode("ascii")}"'


def _vendor(mark: bytes) -> str:
    """Return the tag of a vendor; no device has such a name."""
    return f"vendor:{''.join(filter(str.isalnum, mark.decode('ascii')))}"


def _installer(lease: Lease, ends: ManagementEnds) -> Iterator[str]:
    """Yield what ONIE gets on a device; its own range where the reservation does not match it."""
    device, match = lease.device, lease.match
    if not lease.installer:
        return
    own = device.name
    if match.option and not match.is_whole:
        own = f"onie:{device.name}"
        yield f"dhcp-match=set:{own},{CLIENT_ID},{zero_and_serial(device).content.hex(':')}"
        range_ = f"{device.address},{device.address},{ends.subnet.netmask},{_ONIE_S}"
        yield f"dhcp-range=tag:{_ONIE},tag:{own},{range_}"
        yield f'dhcp-option-force=tag:{_ONIE},tag:{own},12,"{device.name}"'
    yield f'dhcp-option-force=tag:{_ONIE},tag:{own},{INSTALLER_URL},"{lease.installer}"'


def _answer(tag: str, answer: Answer) -> Iterator[str]:
    if isinstance(answer.content, str):
        # An address without quotes is sent as four bytes.
        text = answer.content if answer.code == TFTP_ADDRESSES else f'"{answer.content}"'
        yield f"dhcp-option-force=tag:{tag},{answer.code},{text}"
        return
    for code, text in answer.content.items():
        yield f'dhcp-option-force=tag:{tag},encap:{answer.code},{code},"{text}"'

"""IPv4 masks as dotted quads, which some systems write where others have a length."""

from __future__ import annotations

from ipaddress import IPv4Network

_MASKS = {str(length): str(IPv4Network((0, length)).netmask) for length in range(33)}


def with_mask(text: str) -> tuple[str, str]:
    """Return an address of a design and its mask: ``10.0.0.1/31`` -> 10.0.0.1, 255.255.255.254.

    The mask of IPv6 is its length. An address without a length is that of a host.
    """
    address, _, length = text.partition("/")
    if ":" in address:
        return address, length or "128"
    return address, _MASKS[length or "32"]

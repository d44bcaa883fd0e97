"""Cumulus Linux from the box: a script with the mark of ZTP.

CumulusNetworks/docs, cumulus-linux-514: "Zero Touch Provisioning", and "Interface Configuration and
Management" for the lines of eth0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.boot.model import (
    PROVISION_URL,
    Boot,
    boot_file,
    boots,
    option_with_url,
    zero_and_serial,
)
from fabric.platforms.features import numbers
from fabric.render.engine import render
from fabric.systems.cumulus.platforms.words import words

if TYPE_CHECKING:
    from fabric.boot.model import Device, Match, Order
    from fabric.core.artefact import Artefact

#: From here on the client id has the serial (NVIDIA Config Manager, documentation of its DHCP).
_SERIAL_SINCE = "5.10"
#: How addresses are called before 5.15.
_OLD_WORD = "ip"
_END = "nv config apply --assume-yes\nnv config save\n"


def _is_old(device: Device) -> bool:
    return bool(device.release) and numbers(device.release) < numbers(_SERIAL_SINCE)


def _match(device: Device) -> Match | None:
    return None if _is_old(device) else zero_and_serial(device)


def _files(order: Order) -> tuple[Artefact, ...]:
    device = order.device
    account = render("boot/account.j2", device.name, {"account": order.account})
    lines = [one.content.decode() for one in order.rendered if one.kind == "nv-set"]
    word = words(device.release).ip if device.release and not _is_old(device) else _OLD_WORD
    own = render("boot/cumulus.j2", device.name, {"device": device, "ip": word})
    parts = (account, own, *(line.rstrip("\n") for line in lines), _END)
    text = "\n".join(parts)
    return (boot_file(device, f"{device.name}.sh", text),)


boots.add("cumulus")(
    Boot(_match, ".sh", _files, option_with_url(PROVISION_URL), installs=True, onie=True)
)

"""Junos from the box: ZTP takes a configuration in hierarchical form.

juniper.net, "Zero Touch Provisioning DHCP Options for Junos OS Evolved" and "Management Interface
in a Dedicated Instance": the sub-options, ``re0:mgmt-0``, and the route in ``mgmt_junos``. The
vendor class: vincent.bernat.ch 2020, insomniacslk/dhcp d7f3d9ea dhcpv4/ztpv4. Port:
openfibernet/juniper-ztp. A commit needs a way in for root, so root gets that of the account. What
starts ZTP, ``chassis auto-image-upgrade``, is not in the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fabric.boot.model import (
    VENDOR_CLASS,
    Answer,
    Boot,
    boot_file,
    boots,
    serial_after,
    server_of,
)
from fabric.render.engine import render
from fabric.systems.junos.platforms.text import read_set
from fabric.systems.junos.platforms.tree import tree_text

if TYPE_CHECKING:
    from fabric.boot.model import Device, Order
    from fabric.core.artefact import Artefact

_VENDOR = 43
_IMAGE, _FILE, _TRANSFER, _PORT = 0, 1, 3, 5
_HTTP_PORT = 80
#: The names of keys: Junos CLI reference, "authentication (Login)".
_KEYS = {"ssh-rsa": "ssh-rsa", "ssh-ed25519": "ssh-ed25519"}


def _files(order: Order) -> tuple[Artefact, ...]:
    device, account = order.device, order.account
    method = account.key.partition(" ")[0]
    values = {"device": device, "account": account, "key": _KEYS.get(method, "ssh-ecdsa")}
    own = render("boot/junos.j2", device.name, values)
    rendered = "".join(one.content.decode() for one in order.rendered if one.kind == "set")
    text = tree_text(words for _, words in read_set(f"{own}\n{rendered}"))
    return (boot_file(device, f"{device.name}.conf", text),)


def _answers(_: Device, url: str, image: str) -> tuple[Answer, ...]:
    parts = urlsplit(url)
    options = {_FILE: parts.path.removeprefix("/"), _TRANSFER: parts.scheme}
    if image:
        options[_IMAGE] = urlsplit(image).path.removeprefix("/")
    if parts.port not in {None, _HTTP_PORT}:
        options[_PORT] = str(parts.port)
    return (server_of(url), Answer(_VENDOR, options))


boots.add("junos")(
    Boot(
        serial_after(VENDOR_CLASS, "-", "Juniper"),
        ".conf",
        _files,
        _answers,
        warning="no document of Juniper says that the vendor class ends with the serial; the "
        "management port is re0:mgmt-0, as on all models of Junos Evolved",
        http_alone=True,
        installs=True,
    )
)

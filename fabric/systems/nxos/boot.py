"""NX-OS from the box: a script of POAP that schedules a configuration for the next start.

Cisco Nexus 9000 NX-OS Fundamentals guide 10.6(x), "Using PowerOn Auto Provisioning": the client id
is a zero and the serial; the script comes by TFTP. datacenter/nexus9000 244912e1
nx-os/poap/poap.py: the ``cli`` of the script, its environment, its line ``#md5sum``, and
``scheduled-config``; ``boot nxos`` and ``copy running-config startup-config`` for an image, and
that ``bootflash:`` is the folder ``/bootflash`` of the script. The switch starts again with it when
the script ends. Keys: Nexus 9000 security guide 10.5(x), SSH. NX-API takes a password alone;
changes need the scheduler.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from fabric.boot.model import Boot, boot_file, boots, file_by_tftp, zero_and_serial
from fabric.render.engine import render

if TYPE_CHECKING:
    from fabric.boot.model import Order
    from fabric.core.artefact import Artefact

_INTERPRETER = "#!/bin/env python3\n"


def _files(order: Order) -> tuple[Artefact, ...]:
    device, name = order.device, order.device.name
    own = render("boot/nxos.j2", name, {"device": device, "account": order.account})
    rendered = "".join(one.content.decode() for one in order.rendered)
    config = boot_file(device, f"{name}.cfg", f"{own}\n{rendered}")
    values = {
        "device": device,
        "url": f"{order.url}/{name}.cfg",
        "md5": _md5(config.content),
        "image": order.image,
    }
    body = render("boot/poap.j2", name, values) + "\n"
    return (config, boot_file(device, f"{name}.py", signed(body)))


def signed(body: str) -> str:
    """Return a script with the MD5 that POAP compares: that of the script without its line."""
    digest = _md5(f"{_INTERPRETER}{body}".encode())
    return f'{_INTERPRETER}#md5sum="{digest}"\n{body}'


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


boots.add("nxos")(
    Boot(
        zero_and_serial,
        ".py",
        _files,
        file_by_tftp,
        hashes=("$5$",),
        needs_hash=True,
        tftp=True,
        installs=True,
    )
)

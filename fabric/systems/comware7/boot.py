"""Comware 7 from the box: automatic configuration takes a file of lines by TFTP.

H3C, Automatic Configuration Technology White Paper 6W100: options 67 and 150 or 66. What the client
sends of itself is not known, so the MAC must do. The lines of the account: grayfalcon666
/netmiko-h3c-skill @ 4f5e9dfd references/CMD-help. No key of SSH: it is imported from a file on the
switch (HPE FlexFabric 5700, security configuration guide: ``public-key peer import sshkey``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.boot.model import Boot, boot_file, boots, file_by_tftp, joined_before, no_serial
from fabric.render.engine import render

if TYPE_CHECKING:
    from fabric.boot.model import Order
    from fabric.core.artefact import Artefact


_END = "#\nreturn\n"


def _files(order: Order) -> tuple[Artefact, ...]:
    device, name = order.device, order.device.name
    own = render("boot/comware7.j2", name, {"device": device, "account": order.account}) + "\n"
    return (boot_file(device, f"{name}.cfg", joined_before(_END, own, order.rendered)),)


boots.add("comware7")(
    Boot(
        no_serial,
        ".cfg",
        _files,
        file_by_tftp,
        warning="the file is run, and whether the switch saves it is not known: the first change "
        "of rocefab saves",
        hashes=("$h$6$",),
        needs_hash=True,
        tftp=True,
        keys=(),
    )
)

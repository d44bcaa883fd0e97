"""VRP8 from the box: an intermediate file in INI form, which names a configuration.

CloudEngine 6800 and 8800 V300R023C00 configuration guide, "ZTP Configuration"
(WheaterW/INTA-project @ 9308062d): options, the form of the intermediate file, and an account that
can log in from afar, without which the switch does not take the configuration. The server of the
option may be HTTP or TFTP; that of the file is SFTP in the guide, and TFTP, FTP or SFTP in that of
the NE routers (V800R021C00): TFTP is in both, and needs no account. Lines: its scripts.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fabric.boot.model import (
    BOOT_FILE,
    CLIENT_ID,
    TFTP_SERVER,
    Answer,
    Boot,
    Match,
    boot_file,
    boots,
)
from fabric.render.engine import render

if TYPE_CHECKING:
    from fabric.boot.model import Device, Order
    from fabric.core.artefact import Artefact

_BEGIN = "ztp_"
#: What tells one deployment from another is written as a time of fourteen digits.
_FIRST, _TIMES_S = datetime(2020, 1, 1), 10 * 365 * 86_400  # noqa: DTZ001 - no time of a place
#: ``irreversible-cipher``, as a switch shows it. A question mark would ask for help.
_HASH = r"\$1[cd]\$[!->@-~]{10,200}\$"


def _match(device: Device) -> Match:
    return Match(CLIENT_ID, f"{device.serial} ".encode(), "begin")


def _files(order: Order) -> tuple[Artefact, ...]:
    device, name = order.device, order.device.name
    text = render("boot/vrp8.j2", name, {"device": device, "account": order.account})
    config = boot_file(device, f"{name}.cfg", text)
    since = timedelta(seconds=int(config.sha256, 16) % _TIMES_S)
    values = {
        "device": device,
        "server": _server(order.url),
        "number": f"{_FIRST + since:%Y%m%d%H%M%S}",
    }
    text = render("boot/vrp8_ini.j2", name, values)
    return (config, boot_file(device, f"{_BEGIN}{name}.ini", text))


def _server(url: str) -> str:
    return f"tftp://{urlsplit(url).hostname}"


def _answers(_device: Device, url: str, _image: str) -> tuple[Answer, ...]:
    file = url.rpartition("/")[2]
    return (Answer(TFTP_SERVER, _server(url)), Answer(BOOT_FILE, file))


boots.add("vrp8")(
    Boot(
        _match,
        ".ini",
        _files,
        _answers,
        warning="no switch has read such a file yet; Huawei advises against files that no switch "
        "has saved",
        hashes=("$1d$", "$1c$"),
        needs_hash=True,
        tftp=True,
        begin=_BEGIN,
        takes_whole=False,
        hash_form=_HASH,
    )
)

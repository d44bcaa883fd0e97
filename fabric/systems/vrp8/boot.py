"""VRP8 from the box: an intermediate file in INI form, which names a configuration.

CloudEngine 6800 and 8800 V300R023C00 configuration guide, "ZTP Configuration"
(WheaterW/INTA-project @ 9308062d): options, the form of the intermediate file, and an account that
can log in from afar, without which the switch does not take the configuration. The server of the
option may be HTTP or TFTP; that of the file is SFTP in the guide, and TFTP, FTP or SFTP in that of
the NE routers (V800R021C00): TFTP is in both, and needs no account. Lines: its scripts.
The key of SSH: CloudEngine S8700 V600R022C10 command reference, "SSH Configuration Commands"
(EDOC1100305021); its form in a saved file: tests of netdevops/hier_config and annetutil/annet with
``encoding-type openssh``. The type ``all`` takes the key or the password.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from textwrap import wrap
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
    joined_before,
)
from fabric.render.engine import render

if TYPE_CHECKING:
    from fabric.boot.model import Account, Device, Order
    from fabric.core.artefact import Artefact

_BEGIN = "ztp_"
_END = "#\nreturn\n"
#: Width of the lines of a key; our choice: switches show it in lines of about this width.
_KEY_CHARACTERS = 80
_RSA = "ssh-rsa"
#: What tells one deployment from another is written as a time of fourteen digits.
_FIRST, _TIMES_S = datetime(2020, 1, 1), 10 * 365 * 86_400  # noqa: DTZ001 - no time of a place
#: ``irreversible-cipher``, as a switch shows it. A question mark would ask for help.
_HASH = r"\$1[cd]\$[!->@-~]{10,200}\$"


def _match(device: Device) -> Match:
    return Match(CLIENT_ID, f"{device.serial} ".encode(), "begin")


def _files(order: Order) -> tuple[Artefact, ...]:
    device, name = order.device, order.device.name
    values = {"device": device, "account": order.account, "key": _key(order.account)}
    own = render("boot/vrp8.j2", name, values) + "\n"
    config = boot_file(device, f"{name}.cfg", joined_before(_END, own, order.rendered))
    since = timedelta(seconds=int(config.sha256, 16) % _TIMES_S)
    values = {
        "device": device,
        "server": _server(order.url),
        "number": f"{_FIRST + since:%Y%m%d%H%M%S}",
    }
    text = render("boot/vrp8_ini.j2", name, values)
    return (config, boot_file(device, f"{_BEGIN}{name}.ini", text))


def _key(account: Account) -> list[str]:
    """Return the lines of the key, without its comment; none where it is of another kind."""
    kind, _, rest = account.key.partition(" ")
    return wrap(f"{kind} {rest.split()[0]}", _KEY_CHARACTERS) if kind == _RSA else []


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
        keys=(_RSA,),
        begin=_BEGIN,
        hash_form=_HASH,
    )
)

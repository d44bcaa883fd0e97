"""SONiC from the box: ZTP (sonic-net/sonic-ztp 036c8ea, doc/sonic-ztp.md and its plugins).

An image has ZTP where it is built with ENABLE_ZTP, and starts it without ``config_db.json``. What
has the management address is loaded over the configuration that the image makes, and saved: the
lease is given up then.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabric.boot.model import (
    BOOT_FILE,
    CLIENT_ID,
    Boot,
    boot_file,
    boots,
    option_with_url,
    serial_after,
)
from fabric.core.json_text import parse_json
from fabric.render.engine import render

if TYPE_CHECKING:
    from fabric.boot.model import Order
    from fabric.core.artefact import Artefact

#: The folder of local ZTP data (sonic-ztp, ztp_data_local.json), which stays at a restart.
_CA_FILE = "/host/ztp/rocefab-ca.pem"


def _files(order: Order) -> tuple[Artefact, ...]:
    device, name = order.device, order.device.name
    rendered = next((one for one in order.rendered if one.kind == "config_db"), None)
    config = _management(order)
    if rendered is not None:
        config = _joined(parse_json(rendered.content.decode()), config)
    # A whole file is reloaded and saved; a part is loaded over what runs, and saved by option.
    way = (
        {"clear-config": True}
        if rendered is not None
        else {"clear-config": False, "save-config": True}
    )
    sections: dict[str, Any] = {
        "01-account": {"plugin": {"url": _url(order, f"{name}.sh")}, "halt-on-failure": True},
        "02-configdb-json": {"url": _url(order, f"{name}-config_db.json"), **way},
    }
    if order.tls:
        plugin = {"url": f"{order.url}/{name}-ca.sh"}
        sections["00-authority"] = {"plugin": plugin, "halt-on-failure": True}
    if order.image:
        install = {"url": order.image.url, "version": order.image.version, "set-default": True}
        sections["00-firmware"] = {"install": install}
    script = render("boot/account.j2", name, {"account": order.account})
    return (
        boot_file(device, f"{name}.json", _text({"ztp": sections})),
        boot_file(device, f"{name}.sh", script),
        boot_file(device, f"{name}-config_db.json", _text(config)),
        *_authority(order),
    )


def _url(order: Order, path: str) -> str | dict[str, str]:
    """Return where a file is: sonic-ztp gives ``curl-arguments`` to curl, which then checks."""
    if order.tls is None:
        return f"{order.url}/{path}"
    return {"source": f"{order.tls.url}/{path}", "curl-arguments": f"--cacert {_CA_FILE}"}


def _authority(order: Order) -> tuple[Artefact, ...]:
    """Return the script that stores the authority, which comes by HTTP."""
    if order.tls is None:
        return ()
    name = order.device.name
    values = {"lines": order.tls.ca.splitlines(), "file": _CA_FILE}
    text = render("boot/authority.j2", name, values)
    return (boot_file(order.device, f"{name}-ca.sh", text),)


def _management(order: Order) -> dict[str, Any]:
    device = order.device
    return {
        "DEVICE_METADATA": {"localhost": {"hostname": device.name}},
        "MGMT_INTERFACE": {f"eth0|{device.interface_address}": {"gwaddr": device.gateway}},
    }


def _joined(rendered: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Return both; the host name is rendered too."""
    return {**rendered, "MGMT_INTERFACE": own["MGMT_INTERFACE"]}


def _text(value: object) -> str:
    return json.dumps(value, indent=4) + "\n"


BOOT = Boot(
    serial_after(CLIENT_ID, "##", "SONiC"),
    ".json",
    _files,
    option_with_url(BOOT_FILE),
    installs=True,
    takes_ca=True,
    onie=True,
)
boots.add("sonic")(BOOT)

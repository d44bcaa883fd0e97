"""Seeds of cloud-init for hosts: the account, the management address, and the rendered files.

Each folder is a seed of the data source NoCloud, by kernel option ``ds=nocloud;s=URL`` or by a
drive with the label ``cidata`` (cloudinit.readthedocs.io: NoCloud; modules users_groups,
write_files and runcmd).
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

import yaml

from fabric.boot.model import boot_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.boot.model import Account, Order
    from fabric.core.artefact import Artefact

_HEAD = "#cloud-config\n"
_ROOT = "rootfs/"


def seed(order: Order, interface: str) -> tuple[Artefact, ...]:
    """Return the files of the seed of a host.

    Parameters
    ----------
    interface : str
        Its management interface.
    """
    device, folder = order.device, f"hosts/{order.device.name}"
    files = [one for one in order.rendered if f"/{_ROOT}" in one.path]
    user = {
        "hostname": device.name,
        "users": ["default", _user(order.account)],
        "write_files": [*map(_file, files)],
        "runcmd": [*map(list, _commands(files))],
    }
    texts = {
        "meta-data": yaml.safe_dump({"instance-id": device.name, "local-hostname": device.name}),
        "user-data": _HEAD + yaml.safe_dump({k: v for k, v in user.items() if v}, sort_keys=False),
        "network-config": yaml.safe_dump(_network(order, interface), sort_keys=False),
    }
    return tuple(boot_file(device, f"{folder}/{name}", text) for name, text in texts.items())


def _user(account: Account) -> dict[str, Any]:
    user: dict[str, Any] = {
        "name": account.name,
        "shell": "/bin/bash",
        "sudo": "ALL=(ALL) NOPASSWD: ALL",
        "lock_passwd": not account.hash,
    }
    user |= {"hashed_passwd": account.hash} if account.hash else {}
    return user | ({"ssh_authorized_keys": [account.key]} if account.key else {})


def _file(artefact: Artefact) -> dict[str, str]:
    return {
        "path": "/" + artefact.path.partition(f"/{_ROOT}")[2],
        "permissions": "0755" if artefact.executable else "0644",
        "encoding": "b64",
        "content": b64encode(artefact.content).decode(),
    }


def _commands(files: Iterable[Artefact]) -> Iterable[tuple[str, ...]]:
    """Yield what brings the files into force: they are run once, at the end of the first boot."""
    for file in files:
        if file.kind == "apply-script":
            yield ("/" + file.path.partition(f"/{_ROOT}")[2],)


def _network(order: Order, interface: str) -> dict[str, Any]:
    device = order.device
    port = {
        "match": {"macaddress": device.mac},
        "set-name": interface,
        "addresses": [device.interface_address],
        "routes": [{"to": "0.0.0.0/0", "via": device.gateway}],
    }
    return {"version": 2, "ethernets": {interface: port}}

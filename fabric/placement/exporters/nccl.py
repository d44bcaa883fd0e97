"""``/etc/nccl.conf``: NCCL settings as a file that stands on each host or in the image.

Lines are ``NAME=value``; what the environment says wins (NCCL user guide, NCCL_CONF_FILE). No
comment holds an equals sign, so that releases that know no comments read none as a setting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.exports import SETTINGS_OPTIONS, Exported, Exporter, exporters, text_file

if TYPE_CHECKING:
    from fabric.core.artefact import Artefact
    from fabric.placement.export import Order


def _conf(order: Order) -> Exported:
    if order.alike:
        files = [_file(order, order.placement.hosts[0], "nccl.conf")]
    else:
        files = [_file(order, host, f"{host}/nccl.conf") for host in order.placement.hosts]
    return Exported(tuple(files), order.notes)


def _file(order: Order, host: str, path: str) -> Artefact:
    lines = ["# Written by rocefab from the inventory: /etc/nccl.conf"]
    for item in order.settings(host):
        if item.name.startswith("NCCL_"):
            lines += [f"# {_plain(item.reason)}", f"{item.name}={item.value}"]
    lines.append("# Omitted on purpose:")
    set_by_user = order.users
    lines += [
        f"#   {item.name}: {_plain(item.reason)}"
        for item in order.environments[host].left_out
        if item.name.startswith("NCCL_") and item.name not in set_by_user
    ]
    return text_file("nccl", "conf", path, "\n".join(lines) + "\n")


def _plain(text: str) -> str:
    return text.replace("=", ":")


exporters.add("nccl")(
    Exporter(
        {"conf": _conf},
        title="nccl.conf",
        options={"conf": SETTINGS_OPTIONS},
    )
)

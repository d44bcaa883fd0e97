"""The whole environment of the ranks: for a shell, or as plain lines for a container engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.exports import SETTINGS_OPTIONS, Exported, Exporter, exporters, text_file
from fabric.core.shell_words import shell_quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.placement.export import Order
    from fabric.placement.job_host import Setting


def _shell(order: Order) -> Exported:
    return _files(order, "shell", "environment.sh", _shell_line)


def _plain(order: Order) -> Exported:
    return _files(order, "plain", "environment.env", lambda item: f"{item.name}={item.value}")


def _shell_line(item: Setting) -> str:
    return f"export {item.name}={shell_quoted(item.value)}  # {item.reason}"


def _files(order: Order, kind: str, name: str, line: Callable[[Setting], str]) -> Exported:
    hosts = order.placement.hosts[:1] if order.alike else order.placement.hosts
    files = []
    for host in hosts:
        lines = [line(item) for item in order.settings(host)]
        path = name if order.alike else f"{host}/{name}"
        files.append(text_file("environment", kind, path, "\n".join(lines) + "\n"))
    return Exported(tuple(files), order.notes)


exporters.add("environment")(
    Exporter(
        {"shell": _shell, "plain": _plain},
        ("shell",),
        title="NCCL variables of a job, for a shell or a file",
        options={"shell": SETTINGS_OPTIONS, "plain": SETTINGS_OPTIONS},
    )
)

"""The name of a switch, and what its ports say in the words of all indented configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.observe.configuration.blocks import Context


def add_port_lines(top: Context, port: Context, *, name: str, undo: str) -> None:
    """Register the name of the switch, and description and state of a port.

    Parameters
    ----------
    top, port : Context
        Lines of the whole file, and those inside a port.
    name : str
        Pattern of the word before the name, such as ``sysname``.
    undo : str
        Word that takes a line away, with its blank.
    """
    top.sets(rf"{name} (?P<value>\S+)", "name")
    port.switches("shutdown", "enabled", undo=undo, on=False)
    port.sets(r"description (?P<value>.*)", "description")

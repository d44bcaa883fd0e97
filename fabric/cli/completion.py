"""completion: scripts for shells, and the words that depend on what lies on the disk."""

from __future__ import annotations

import os
from enum import StrEnum
from glob import escape
from pathlib import Path
from typing import Annotated

import typer

from fabric.core.errors import FabricError


class Shell(StrEnum):
    """Shells with a script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


#: What the scripts set when they ask for words.
VARIABLE = "_ROCEFAB_COMPLETE"


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    epilog = "Example: rocefab completion bash > rocefab.bash"
    app.command(epilog=epilog)(completion)


def completion(
    shell: Annotated[Shell, typer.Argument(help="Shell to print the script for.")],
) -> None:
    """Print the completion script of a shell.

    Completes commands, options, their values, inventories and devices. Bash: add
    `eval "$(rocefab completion bash)"` to ~/.bashrc. Zsh: add the same line, with zsh, to ~/.zshrc,
    after compinit. Fish: write the script to ~/.config/fish/completions/rocefab.fish.

    Exit codes: 0, 2.
    """
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    from fabric.cli import output

    script = get_completion_script(prog_name="rocefab", complete_var=VARIABLE, shell=shell.value)
    output.data(f"{script}\n")


def asked() -> bool:
    """Tell whether a shell asks for words to complete a line with."""
    return VARIABLE in os.environ


def prepare() -> None:
    """Make the answers of the shells known; the command line itself does not need them."""
    from typer.completion import completion_init  # type: ignore[attr-defined]

    completion_init()


def inventories(incomplete: str) -> list[str]:
    """Return the inventory folders that begin with a text: there, and one folder below."""
    folder, _, name = incomplete.rpartition("/")
    start = Path(folder or ("/" if incomplete[:1] == "/" else "."))
    files = [
        *start.glob(f"{escape(name)}*/fabric.yaml"),
        *start.glob(f"{escape(name)}*/*/fabric.yaml"),
    ]
    return sorted(str(file.parent) for file in files)


def devices(incomplete: str) -> list[str]:
    """Return ranges of device names: what stands before the last comma, and each name that fits."""
    before, comma, name = incomplete.rpartition(",")
    return [f"{before}{comma}{one}" for one in _names() if one.startswith(name)]


def explained(incomplete: str) -> list[str]:
    """Return inventories and devices, for arguments that begin with either."""
    return inventories(incomplete) + devices(incomplete)


def _names() -> list[str]:
    """Return the names of the inventory; a wrong one has none, for nobody reads errors then."""
    from fabric.workflow.project import Project

    try:
        fabric = Project(_folder()).fabric
    except FabricError:
        return []
    return sorted([*fabric.switches.names, *fabric.hosts.names])


def _folder() -> Path:
    """Return the inventory that the line names; typer parses no line whose last option is open."""
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    words = [Path(word) for word in line.split() if not word.startswith("-")]
    usual = Path(os.environ.get("ROCEFAB_INVENTORY", "."))
    return next((word for word in words if (word / "fabric.yaml").is_file()), usual)

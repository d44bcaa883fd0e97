"""The list of commands, by what they are for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typer.core import TyperGroup

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Commands by what they are for, in the order in which a fabric needs them.
GROUPS: dict[str, tuple[str, ...]] = {
    "Design": ("init", "import", "tenant", "models", "render", "explain", "show", "draw"),
    "Prove": ("check", "prove", "whatif", "expect", "simulate", "audit", "diff"),
    "Start": ("adopt", "adopt-serials", "first-contact", "replace", "accept"),
    "Change": ("plan", "approve", "apply", "status", "rollback", "report"),
    "Watch": ("verify", "drift", "observe", "cabling", "judge", "suspect", "probe"),
    "Jobs": ("place", "export", "serve", "mcp"),
    "Lab": ("demo", "lab"),
    "Other": ("completion", "man"),
}


class Grouped(TyperGroup):
    """The root: its help lists the commands in groups."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write a section for each group."""
        width = formatter.width - 6 - max(map(len, self.commands))
        for title, names in GROUPS.items():
            rows = list(self._rows(names, width))
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows, col_max=30)

    def _rows(self, names: tuple[str, ...], width: int) -> Iterator[tuple[str, str]]:
        longest = max(map(len, self.commands))
        for name in names:
            command = self.commands.get(name)
            if command is not None and not command.hidden:
                yield name.ljust(longest), command.get_short_help_str(width)

"""Names of before, which systems of others may still import: docs/reference/stability.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from warnings import warn

if TYPE_CHECKING:
    from collections.abc import Mapping


def renamed(module: str, name: str, classes: Mapping[str, type[Any]]) -> type[Any]:
    """Return the class that a module had under another name, and warn who imports it.

    Raises
    ------
    AttributeError
        When the module never had the name.
    """
    if name not in classes:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    now = classes[name]
    warn(f"{module}.{name} is deprecated; use {now.__name__}", FutureWarning, stacklevel=3)
    return now

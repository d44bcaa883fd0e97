"""What each system has of each feature, as ``rocefab show platforms --features`` prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.design.features import FEATURES
from fabric.platforms import platforms
from fabric.platforms.features import feature

if TYPE_CHECKING:
    from fabric.platforms.facts import Grade
    from fabric.platforms.features import FeatureCell, Limit

#: Marks what no maker printed.
MARKS: dict[Grade, str] = {"vendor": "", "deduced": "~", "unconfirmed": "?"}


def headers() -> tuple[str, ...]:
    """Return the headers of the matrix: the feature, then each system."""
    return ("feature", *platforms)


def rows() -> tuple[tuple[str, ...], ...]:
    """Return a row for each feature, with a cell for each system."""
    return tuple(
        (one.name, *(cell_text(feature(system, one.name)) for system in platforms))
        for one in FEATURES
    )


def cell_text(cell: FeatureCell | None) -> str:
    """Return the word of a cell, such as ``yes~*``."""
    if cell is None or cell.absent:
        return "no"
    limited = cell.values or models_of(cell)
    mark = MARKS[cell.grade] or (MARKS["unconfirmed"] if cell.unconfirmed_asics else "")
    return f"{'yes' if cell.rendered else 'own'}{mark}{'*' if limited else ''}"


def models_of(where: FeatureCell | Limit) -> str:
    """Return in words to which models a cell or a limit applies; empty for all."""
    words = {
        "ASIC": where.asics,
        "not ASIC": where.not_asics,
        "headroom law": where.laws,
        "not headroom law": where.not_laws,
        "model": where.models,
        "not model": where.not_models,
        "role": where.roles,
    }
    return "; ".join(f"{word} {', '.join(names)}" for word, names in words.items() if names)

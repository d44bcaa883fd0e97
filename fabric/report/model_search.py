"""show platforms WORD: the switch models of a system or of a maker, and how to add another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.platforms import platforms

if TYPE_CHECKING:
    from fabric.platforms.catalogue import Skus

#: A shorter word is part of too many names; our choice.
_LEAST_LETTERS = 3
#: What to do where no model fits.
ADD_A_MODEL = (
    "`rocefab models add` writes a model from outputs of the switch; docs/reference/models.md "
    "shows how to write one by hand"
)


def search(word: str, skus: Skus) -> tuple[str, ...]:
    """Return the models whose system, or whose maker, a word names.

    A name of a model with a digit that is wrong by a letter is no word of a maker.
    """
    text = word.casefold()
    if len(text) < _LEAST_LETTERS:
        return ()
    systems = _systems(text)
    letters = text.isalpha() and text not in platforms
    return tuple(
        name
        for name in skus
        if skus[name].nos in systems or (letters and _is_of(text, name, skus[name].source))
    )


def _is_of(maker: str, name: str, source: str) -> bool:
    """Tell whether the name of a model, or the folder that it was taken from, names a maker."""
    return name.casefold().startswith(maker) or f"device/{maker}/" in source.casefold()


def _systems(text: str) -> set[str]:
    if text in platforms:
        return {text}
    return {name for name in platforms if text in platforms[name].title.casefold()}

"""One registry type for every kind of plug-in."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")


class Registry(Generic[T]):
    """Named plug-ins of one kind, filled by a decorator.

    Parameters
    ----------
    kind : str
        What is registered, in the singular; used in messages.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._items: dict[str, T] = {}

    def add(self, name: str) -> Callable[[T], T]:
        """Return a decorator that registers its argument under ``name``.

        Raises
        ------
        ValueError
            When the name is taken.
        """

        def decorate(item: T) -> T:
            if name in self._items:
                message = f"{self.kind} {name!r} is registered twice"
                raise ValueError(message)
            self._items[name] = item
            return item

        return decorate

    def __getitem__(self, name: str) -> T:
        try:
            return self._items[name]
        except KeyError:
            known = ", ".join(sorted(self._items)) or "none"
            message = f"unknown {self.kind} {name!r}; known: {known}"
            raise KeyError(message) from None

    def __contains__(self, name: str) -> bool:
        return name in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._items))

    def __len__(self) -> int:
        return len(self._items)

    def items(self) -> list[tuple[str, T]]:
        """Return (name, plug-in) pairs in the order of the names."""
        return sorted(self._items.items())


def import_modules(package: str, path: list[str]) -> None:
    """Import every module of a package, so that its plug-ins register themselves."""
    for module in pkgutil.iter_modules(path):
        importlib.import_module(f"{package}.{module.name}")

"""One registry type for every kind of plug-in."""

from __future__ import annotations

from threading import get_ident
from typing import TYPE_CHECKING, Generic, TypeVar

from fabric.core.errors import InputError
from fabric.core.plugins import import_modules, import_plugins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")


class Registry(Generic[T]):
    """Named plug-ins of one kind, filled by a decorator.

    The first reader imports the modules that hold the plug-ins, so that what is registered never
    depends on which command ran before. Who asks for one system imports the module of that system.

    Parameters
    ----------
    kind : str
        What is registered, in the singular; used in messages.
    *packages : str
        Packages whose modules register themselves here. Without any, the module that makes the
        registry fills it.
    plugins : str
        Module of each system that registers here, as ``core.plugins`` names it.
    """

    def __init__(self, kind: str, *packages: str, plugins: str = "") -> None:
        self.kind = kind
        self._packages = packages
        self._plugins = plugins
        self._items: dict[str, T] = {}
        self._imported: set[str] = set()
        self._filling: set[int] = set()
        self._is_filled = False

    def add(self, name: str) -> Callable[[T], T]:
        """Return a decorator that registers its argument under ``name``.

        Raises
        ------
        ValueError
            When the name is taken.
        """

        def decorate(item: T) -> T:
            if name in self._items:
                raise ValueError(f"{self.kind} {name!r} is registered twice")
            self._items[name] = item
            return item

        return decorate

    def __getitem__(self, name: str) -> T:
        """Return a plug-in.

        Raises
        ------
        InputError
            When a system does not have the part that registers here.
        KeyError
            When anything else has no such name.
        """
        items = self._with(name)
        if name in items:
            return items[name]
        known = ", ".join(sorted(items)) or "none"
        if self._plugins and not self._packages:
            module = f"module `{self._plugins}` of its package"
            message = f"system {name!r} has no {self.kind} ({module}); systems with one: {known}"
            raise InputError(message)
        raise KeyError(f"unknown {self.kind} {name!r}; known: {known}")

    def __contains__(self, name: str) -> bool:
        return name in self._with(name)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._filled()))

    def __len__(self) -> int:
        return len(self._filled())

    def items(self) -> list[tuple[str, T]]:
        """Return (name, plug-in) pairs in the order of the names."""
        return sorted(self._filled().items())

    def _with(self, name: str) -> dict[str, T]:
        """Return the plug-ins, with that of a name where there is one.

        A module registers before it is imported to its end: another thread that imports it waits.
        """
        if self._plugins and not self._is_filled:
            if name not in self._imported:
                import_plugins(self._plugins, name)
                self._imported.add(name)
            if name in self._items:
                return self._items
        return self._filled()

    def _filled(self) -> dict[str, T]:
        """Import the plug-ins, unless one of them reads the registry while it is imported.

        There is no lock: with those of the imports, which wait for each other, it could be waited
        for in a circle.
        """
        thread = get_ident()
        if not self._is_filled and thread not in self._filling:
            self._filling.add(thread)
            try:
                for package in self._packages:
                    import_modules(package)
                if self._plugins:
                    import_plugins(self._plugins)
                self._is_filled = True
            finally:
                self._filling.discard(thread)
        return self._items

"""The drawing of errors: every error of rocefab, below the one that it is derived from."""

from __future__ import annotations

import importlib
import pkgutil
import re

import fabric
from fabric.core import errors

_BRANCH = re.compile(r"^([│ ]*)[├└]── (\w+)", re.MULTILINE)
_STEP = len("│   ")


def drawn() -> set[tuple[str, str]]:
    """Return each error of the drawing with the one above it."""
    above = ["FabricError"]
    pairs = set()
    for indent, name in _BRANCH.findall(errors.__doc__ or ""):
        above[len(indent) // _STEP + 1 :] = [name]
        pairs.add((above[-2], name))
    return pairs


def defined(base: type[Exception]) -> set[tuple[str, str]]:
    """Return each error of rocefab below another one with that one."""
    below = [kind for kind in base.__subclasses__() if kind.__module__.startswith("fabric.")]
    return {(base.__name__, kind.__name__) for kind in below}.union(*map(defined, below))


def test_the_drawing_has_every_error_at_its_place() -> None:
    for module in pkgutil.walk_packages(fabric.__path__, "fabric."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    assert drawn() == defined(errors.FabricError)

"""Client libraries of devices, imported when a device of their system is first reached."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

#: How often the import is tried.
_TRIES = 20
_one_at_a_time = Lock()


def client_module(name: str) -> Any:
    """Return a module of a client library; one thread at a time imports.

    The threads of a command reach devices of several systems at once. netmiko and napalm both
    import paramiko, whose modules import each other, and two threads that come to them by two ways
    can wait for each other: ``_DeadlockError`` of importlib.

    Raises
    ------
    ImportError
        When the library is not installed.
    """
    with _one_at_a_time:
        return import_module(name)


def napalm_part(name: str) -> Any:
    """Return the module ``napalm.NAME`` without those of other systems.

    ``napalm/__init__.py`` imports the drivers of all systems, a quarter of a second; it runs when
    something in it is asked for.
    ``jnpr.junos.facts``, which ``napalm.junos`` imports, goes over ``sys.modules`` and fails with
    RuntimeError where another thread imports something meanwhile (junos-eznc 2.8.2,
    jnpr/junos/facts). What had been imported is kept, so that the next try has less to do.

    Parameters
    ----------
    name : str
        Name of a module in the package.

    Raises
    ------
    ImportError
        When the library is not installed.
    """
    for _ in range(_TRIES - 1):
        try:
            return _part(f"napalm.{name}")
        except RuntimeError:
            continue
    return _part(f"napalm.{name}")


def _part(name: str) -> Any:
    with _one_at_a_time:
        if "napalm" not in sys.modules:
            sys.modules["napalm"] = _package()
        return import_module(name)


def _package() -> ModuleType:
    """Return the package as it is before its first line has run; a name of it runs them all."""
    spec = find_spec("napalm")
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError("No module named 'napalm'", name="napalm")
    package, loader = module_from_spec(spec), spec.loader

    def whole(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        vars(package).pop("__getattr__", None)
        loader.exec_module(package)
        return getattr(package, name)

    vars(package)["__getattr__"] = whole
    return package

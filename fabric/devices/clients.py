"""The client library napalm, imported when a device is first reached: it takes half a second."""

from __future__ import annotations

from typing import Any

#: How often the import is tried.
_TRIES = 20


def import_napalm() -> Any:
    """Return the module ``napalm``.

    ``jnpr.junos.facts``, which it imports, goes over ``sys.modules`` and fails with RuntimeError
    where another thread imports something meanwhile (junos-eznc 2.8.2, jnpr/junos/facts). What had
    been imported is kept, so that the next try has less to do.
    """
    for _ in range(_TRIES - 1):
        try:
            import napalm
        except RuntimeError:
            continue
        return napalm
    import napalm

    return napalm

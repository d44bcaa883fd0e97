"""Starts rocefab, unless the package called ``fabric`` is not ours.

An unrelated distribution installs a package of the same name. When both lie in one environment,
its files replace ours; this module lies outside of the package, so that it can tell.
"""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    try:
        import fabric
    except Exception:  # noqa: BLE001 - the other package may fail in any way
        return _refuse()
    if getattr(fabric, "DISTRIBUTION", "") != "rocefab":
        return _refuse()
    from fabric.cli import process

    return process()


def _refuse() -> int:
    from importlib.metadata import packages_distributions

    owners = sorted(set(packages_distributions().get("fabric", [])))
    others = ", ".join(owner for owner in owners if owner != "rocefab") or "another distribution"
    sys.stderr.write(
        "rocefab: the Python package 'fabric' in this environment is not rocefab's; it belongs to "
        f"{others}.\nInstall rocefab into an environment of its own, for instance with "
        "`pipx install rocefab` or `python -m venv`.\n"
    )
    return 2


if __name__ == "__main__":
    sys.exit(main())

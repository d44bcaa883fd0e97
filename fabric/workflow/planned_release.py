"""Whether a switch runs the release that its inventory plans; upgrades are made elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.change.expectation import Deviation
from fabric.observe import read_snapshot
from fabric.platforms.releases import runs_planned

if TYPE_CHECKING:
    from fabric.change.planner import Target
    from fabric.devices.driver import Driver
    from fabric.observe import Running

#: What a deviation of a release is called.
OFF_RELEASE = "release"


def off_release(
    target: Target, running: Running, driver: Driver
) -> tuple[tuple[Deviation, ...], tuple[str, ...]]:
    """Return how the release differs, and what could not be compared.

    Both are empty where no release is planned.

    Parameters
    ----------
    running : Running
        What was read of the configuration; SONiC says its version there.
    driver : Driver
        An open session; other systems are asked for their version.
    """
    if not target.release:
        return (), ()
    name, platform = target.connection.device, target.connection.platform
    version = running.system.get("version", "") or _version(driver)
    verdict = runs_planned(platform, target.release, version)
    if verdict is None:
        has = f"it says {version[:40]!a}" if version else "its version is not read"
        return (), (f"release {target.release}: {has}",)
    if verdict:
        return (), ()
    message = f"runs release {version[:40]}, planned {target.release}"
    return (Deviation(name, OFF_RELEASE, "system", message),), ()


def _version(driver: Driver) -> str:
    facts = read_snapshot(driver, ("facts",)).facts
    return facts.version if facts else ""

"""Fixtures of the lab, for the stand-ins of the systems too; a test module names its ``leaf``."""

from __future__ import annotations

import pytest

from fabric.devices.driver import Connection, drivers
from tests.lab.conftest import connect, lab
from tests.waiting import until

__all__ = ["connect", "lab"]
#: Longer than any restart of a test; a test may have stopped the clock of its lab.
_BOOT_S = 600.0


@pytest.fixture
def login(leaf):
    """Return a function that opens a driver; keywords replace fields of the connection."""
    opened = []

    def open_driver(**changes):
        spec = leaf.spec
        fields = {
            "device": spec.name,
            "platform": spec.platform,
            "address": leaf.address,
            "port": leaf.port,
            "username": spec.username,
            "password": spec.password,
            "trust": getattr(leaf, "trust", "") or leaf.host_key,
        }
        driver = drivers[spec.platform](Connection(**{**fields, **changes}))
        opened.append(driver)
        driver.open()
        return driver

    yield open_driver
    for driver in opened:
        driver.close()
    if getattr(leaf, "rebooting", False):  # the next test gets a device that listens
        leaf.clock.advance(_BOOT_S)
        until(lambda: not leaf.rebooting, "the device listens again")


@pytest.fixture
def driver(login):
    return login()

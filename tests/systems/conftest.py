"""Fixtures of the lab, for the stand-ins of the systems too."""

from tests.lab.conftest import connect, lab

__all__ = ["connect", "lab"]

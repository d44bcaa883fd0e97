"""An export says at once what all of its parts miss."""

from __future__ import annotations

import pytest

from fabric.core.artefact import Artefact
from fabric.core.errors import InputError, UnplaceableError
from fabric.core.exports import Exported, Exporter, export, refused


def _lacks(field: str) -> Exported:
    raise refused("PLC012", f"{field} is missing", f"set {field}", field=field)


def _no_hosts(_: object) -> Exported:
    raise UnplaceableError("no hosts")


FILE = Artefact("", "form", "kind", "file", b"")
EXPORTER = Exporter({
    "version": lambda _: _lacks("version"),
    "same": lambda _: _lacks("version"),
    "whole": lambda _: Exported((FILE,)),
    "model": lambda _: _lacks("model"),
    "job": _no_hosts,
})


def test_what_all_parts_lack_is_said_once() -> None:
    with pytest.raises(InputError) as caught:
        export(None, EXPORTER, ("version", "same", "whole", "model"))
    assert [finding.field for finding in caught.value.findings] == ["version", "model"]
    assert str(caught.value) == "the export cannot be written"


def test_another_error_ends_it() -> None:
    with pytest.raises(UnplaceableError):
        export(None, EXPORTER, ("version", "job"))


def test_a_part_that_lacks_nothing() -> None:
    assert export(None, EXPORTER, ("whole",)).files == (FILE,)

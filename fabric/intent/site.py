"""A site: fabrics beside each other, whose hosts may be in several of them.

``my-site/fabrics/compute`` and ``my-site/fabrics/storage`` are inventory folders of one site.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import listed, printable
from fabric.intent.documents import MAIN_FILE, SITE_FOLDER
from fabric.intent.inventory import load
from fabric.intent.yaml.file import input_error, leads_inside

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fabric.intent.inventory import Intent


def is_site(folder: Path) -> bool:
    """Tell whether a folder is a site, and no inventory by itself."""
    return (folder / SITE_FOLDER).is_dir() and not (folder / MAIN_FILE).exists()


def one_site(names: Iterable[str]) -> str:
    """Return why fabrics are judged together, and how to keep them apart."""
    return (
        f"{listed(names, 'and')} are one site, as they stand in {SITE_FOLDER}/; an inventory that "
        "shares no hosts with others belongs in a folder of another name"
    )


def fabric_folders(site: Path) -> dict[str, Path]:
    """Return the fabric folders of a site by name, in the order of the names.

    Raises
    ------
    InputError
        When the folder cannot be read, or holds no fabric, or something else than fabrics.
    """
    inner = site / SITE_FOLDER
    try:
        folders = sorted(one for one in inner.iterdir() if not one.name.startswith("."))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"cannot be read as a folder: {printable(reason)}"
        finding = _finding("INT001", inner, message, "check the path and its permissions")
        raise input_error([finding], str(site)) from error
    wrong = [finding for path in folders for finding in _misplaced(path, site)]
    if not folders:
        wrong = [
            _finding("INT032", inner, "the site has no fabric", "add a folder with fabric.yaml")
        ]
    if wrong:
        raise input_error(wrong, str(site))
    return {path.name: path for path in folders}


def _misplaced(path: Path, site: Path) -> list[Finding]:
    if not leads_inside(path, site):
        message = "the link points outside the site folder"
        return [_finding("INT011", path, message, "replace the link with the folder")]
    if path.is_dir():
        return []
    fix = "move it to the folder of a fabric, or out of the site"
    return [_finding("INT018", path, "not read", fix)]


def load_beside(folder: Path, shown_as: str | None = None) -> dict[str, Intent]:
    """Read an inventory folder, and the fabrics of the site that it stands in.

    Returns
    -------
    dict
        Intents by the name of their folder, in the order of the names; one where the folder
        stands in no site. The folder itself is ``own_name(folder)``.

    Raises
    ------
    InputError
        With everything that is wrong in any of the fabrics; for the folder of a site, with the
        names of its fabrics.
    """
    if is_site(folder):
        raise _not_one(folder)
    parent = Path(os.path.normpath(folder / ".."))
    if Path(os.path.abspath(folder)).parent.name != SITE_FOLDER:  # noqa: PTH100 - links stay as named
        return {own_name(folder): load(folder, shown_as)}
    own = own_name(folder)
    folders = {**fabric_folders(Path(os.path.normpath(parent / ".."))), own: folder}
    shown = {**{name: str(path) for name, path in folders.items()}, own: shown_as or str(folder)}
    return _load_all(folders, shown)


def load_site(site: Path) -> dict[str, Intent]:
    """Read all fabrics of a site, by name.

    Raises
    ------
    InputError
        With everything that is wrong in any of them.
    """
    folders = fabric_folders(site)
    return _load_all(folders, {name: str(path) for name, path in folders.items()})


def own_name(folder: Path) -> str:
    """Return the name that a fabric has in its site: that of its folder."""
    return Path(os.path.abspath(folder)).name  # noqa: PTH100 - links stay as named


def _load_all(folders: Mapping[str, Path], shown: Mapping[str, str]) -> dict[str, Intent]:
    intents: dict[str, Intent] = {}
    findings: list[Finding] = []
    for name, folder in sorted(folders.items()):
        try:
            intents[name] = load(folder, shown[name])
        except InputError as error:
            findings += error.findings
    if findings:
        where = ", ".join(shown[name] for name in sorted(shown))
        wrong = input_error(findings, where)
        more = f"; {one_site(sorted(shown))}" if len(shown) > 1 else ""
        raise InputError(f"{wrong}{more}", wrong.findings)
    return intents


def _not_one(site: Path) -> InputError:
    names = ", ".join(str(path) for path in fabric_folders(site).values())
    message = "this is a site with several fabrics; one fabric is required"
    finding = _finding("INT032", site, message, f"specify one of {names}")
    return input_error([finding], str(site))


def _finding(rule: str, path: Path, message: str, fix: str) -> Finding:
    position = Position(printable(str(path)))
    return Finding(rule, Severity.ERROR, message, fix, position=position)

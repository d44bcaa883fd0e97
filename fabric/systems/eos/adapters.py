"""EOS: the whole configuration is replaced; the switch itself computes the difference."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.change.adapter import ConfigurationAdapter, Draft, adapters
from fabric.change.lines.book import changes
from fabric.change.lines.grammar import either
from fabric.change.model import Change, Risk
from fabric.change.scope import notes
from fabric.devices.candidate import WholeConfiguration
from fabric.devices.redaction import redacted
from fabric.render.scope import has_tenants, is_marked
from fabric.systems.eos.parsers import marked_lines
from fabric.systems.eos.scope import SCOPE, merged, tenants_of_others

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from fabric.core.artefact import Artefact
    from fabric.devices.driver import Driver
    from fabric.observe.snapshot import Running

_BOOK = changes("eos", "no")
_STAYS = either(*_BOOK.kept)
#: A server that the switch looks for in a VRF; the second group is the VRF.
_IN_VRF = re.compile(r"(ntp server|logging)( vrf \S+)((?: host)? \S+)(?: .*)?")


def stanzas(text: str) -> list[str]:
    """Return the top-level stanzas of a configuration, each with its indented lines.

    Banners and certificates are texts up to ``EOF``, whatever they look like.
    """
    blocks: list[list[str]] = []
    for line, is_text in marked_lines(text):
        is_comment = line.startswith("!") and not line.startswith("!!")
        if not is_text and (not line.strip() or is_comment or line.strip() in {"!", "end"}):
            continue
        if not is_text and (line[0] != " " or not blocks):
            blocks.append([])
        blocks[-1].append(line)
    return ["\n".join(lines) for lines in blocks]


def is_owned(stanza: str) -> bool:
    """Tell whether rocefab writes a stanza."""
    head = stanza.partition("\n")[0].strip()
    return bool(_BOOK.owned.fullmatch(head)) and not _STAYS.fullmatch(head)


def compose(running: str, intended: str, tenants: Collection[str] = ()) -> str:
    """Return the whole configuration that is wanted.

    What is not ours - accounts, AAA, management access, static routes - is kept as it runs, and so
    is the VRF in which the switch looks for a server.

    Parameters
    ----------
    running, intended : str
        What runs, and what is rendered.
    tenants : collection of str
        Stanzas that would be ours in a fabric with tenants, and stay.
    """
    now = stanzas(running)
    servers = [*filter(None, map(_IN_VRF.fullmatch, now))]
    in_vrf = {
        form: server[0] for server in servers for form in server.expand(r"\1\3\n\1\2\3").split("\n")
    }
    wanted = [in_vrf.get(line, line) for line in intended.rstrip().splitlines()]
    placed = {*in_vrf.values()} & {*wanted}
    kept = [one for one in now if one in tenants or not (is_owned(one) or one in placed)]
    return "\n".join([*kept, *wanted, ""])


def line_risk(line: str) -> Risk:
    """Return what a changed line does to traffic, by its first words."""
    words = line.strip().removeprefix("no ").strip() if "no shutdown" not in line else line.strip()
    for risk, beginnings in _BOOK.risks:
        if f"{words} ".startswith(beginnings):
            return Risk.from_word(risk)
    return Risk.BRIEF_LOSS


class EosAdapter(ConfigurationAdapter):
    """Changes EOS switches."""

    def draft(self, running: Running, artefacts: Sequence[Artefact], driver: Driver) -> Draft:
        """Ask the switch for the difference to the wanted configuration."""
        intended = next(item for item in artefacts if item.kind == "startup-config").text
        is_tenanted = has_tenants(artefacts)
        now, wanted = stanzas(running.config), stanzas(intended)
        if is_marked(intended):
            scope = SCOPE.with_tenants if is_tenanted else SCOPE
            both = merged(now, wanted, scope)
            text = "\n".join([*both.stanzas, ""])
            return self._draft(text, driver, notes(both.others), both.conflicts)
        theirs = [] if is_tenanted else tenants_of_others(now, wanted)
        return self._draft(compose(running.config, intended, theirs), driver)

    def _draft(
        self,
        text: str,
        driver: Driver,
        notes: tuple[str, ...] = (),
        conflicts: tuple[str, ...] = (),
    ) -> Draft:
        candidate = WholeConfiguration(text)
        diff = redacted(driver.preview(candidate))
        return Draft(candidate, tuple(_changes(diff)), diff, notes, conflicts)

    def restore(self, before: Running, now: Running) -> WholeConfiguration:  # noqa: ARG002
        """Return the earlier configuration whole."""
        return WholeConfiguration(before.config)

    def apart(self, left: Running, right: Running) -> set[str]:
        """Return the lines that only one of two configurations has."""
        return _paths(left.config) ^ _paths(right.config)


def _paths(config: str) -> set[str]:
    paths = set()
    for stanza in stanzas(redacted(config)):
        section, *lines = stanza.splitlines()
        paths |= {_path(section.strip(), line.strip()) for line in (section, *lines)}
    return paths


def _path(section: str, line: str) -> str:
    return line if line == section else f"{section}: {line}"


def _changes(diff: str) -> list[Change]:
    """Return the changed lines of a diff; sections that do not change may have a mark or none."""
    changes = []
    section = ""
    for line in diff.splitlines():
        mark, body = line[:1], line[1:] if line[:1] in {" ", "+", "-"} else line
        if body and not body.startswith((" ", "@")):
            section = body.strip()
        if mark in {"+", "-"} and not line.startswith(("+++", "---")):
            text = body.strip()
            path = _path(section, text)
            old, new = (text, "") if mark == "-" else ("", text)
            changes.append(Change(path, old, new, line_risk(text)))
    return changes


adapters.add("eos")(EosAdapter())

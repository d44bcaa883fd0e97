"""From ``platforms/*.yaml`` and the files that it names to switch models."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import closest, field_text, printable
from fabric.intent.yaml.file import read_text
from fabric.platforms import platforms
from fabric.platforms.asic_catalogue import asic, asic_names
from fabric.platforms.buffers import parse_buffers
from fabric.platforms.cage import CageKind
from fabric.platforms.catalogue import sku, sku_names
from fabric.platforms.facts import FACTS, Fact, is_whole
from fabric.platforms.model import Sku
from fabric.platforms.pg_table import PgTable, Problem, parse_pg_table, unreserved

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from fabric.intent.sku_model import OwnCages, OwnSku, PlatformsFile
    from fabric.intent.yaml.file import Document
    from fabric.platforms.asic import Asic
    from fabric.platforms.buffers import BufferPools
    from fabric.platforms.system import Platform

#: More problems than this in one file are counted, not listed.
MOST_PROBLEMS = 20
KIND = "platforms"
#: Far above any switch; `OwnCages` has the same limit for one kind.
MOST_PORTS = 1024
_WHOLE_PERCENT = 100
SPECTRUM = "spectrum"


@dataclass(slots=True)
class OwnSkus:
    """Switch models of an inventory, and what is wrong or odd about them.

    Parameters
    ----------
    skus : dict of str to Sku
        The models that are right.
    findings : list of Finding
        Errors and warnings.
    """

    skus: dict[str, Sku] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def build_skus(files: Iterable[tuple[Document, PlatformsFile]], folder: Path) -> OwnSkus:
    """Return the models of the files.

    Parameters
    ----------
    files : iterable of (Document, PlatformsFile)
        Valid by themselves.
    folder : Path
        The inventory folder; the tables are read from ``platforms/`` in it.
    """
    skus = OwnSkus()
    for document, file in files:
        for index, model in enumerate(file.skus):
            builder = _Builder(document, folder, index, model)
            built = builder.build(skus.skus)
            skus.findings += builder.findings
            if not any(one.severity is Severity.ERROR for one in builder.findings):
                skus.skus[model.name] = built
    return skus


class _Builder:
    """Builds one model and collects what is wrong with it."""

    def __init__(self, document: Document, folder: Path, index: int, model: OwnSku) -> None:
        self.document = document
        self.folder = folder
        self.path: tuple[str | int, ...] = ("skus", index)
        self.model = model
        self.findings: list[Finding] = []

    def build(self, others: Iterable[str]) -> Sku:
        model, ports = self.model, self.model.ports
        self._check_name(others)
        self._check_lanes()
        family = self._family()
        platform = platforms[model.nos]
        self._check_files(platform)
        table, pools = self._table(family), self._pools()
        own = self._facts(pools)
        buffer = own.get("buffer_bytes")
        kinds = self._kinds(platform)
        built = Sku(
            name=model.name,
            kinds=kinds if ports.more or ports.step or ports.slot_ports else (),
            nos=model.nos,
            asic=family.name if family else model.asic,
            source=self.document.file,
            port_count=sum(kind.count for kind in kinds),
            lanes_per_port=ports.lanes,
            port_name=ports.name,
            port_alias=ports.alias,
            part_name=ports.part_name or "",
            part_alias=ports.part_alias or "",
            speeds_gbps=kinds[0].speeds_gbps,
            speed_tokens=dict(kinds[0].speed_tokens),
            queue_submode=platform.queue_word(family) if platform.queue_word and family else "",
            buffer_bytes=buffer.value if buffer and isinstance(buffer.value, int) else None,
            pools=pools.pools,
            layout=None if pools.pools and pools.pools.ingress_lossy_bytes else pools.layout,
            headroom=table.rows,
            first_lanes=ports.first_lanes,
            breakouts=model.breakouts,
            asics=model.asics,
            gearbox_ns=model.gearbox_ns,
            own_facts=own,
            facts=self._words(platform),
        )
        self._check_names(built)
        return built

    def _check_files(self, platform: Platform) -> None:
        for name in ("headroom_table", "buffers"):
            if getattr(self.model, name) is not None and name not in platform.sku_tables:
                message = f"{platform.title} does not use such a file"
                self._add("INT024", message, "remove the line", name)

    def _kinds(self, platform: Platform) -> tuple[CageKind, ...]:
        """Return the kinds of cages, and report those whose ports have no names of their own."""
        ports = self.model.ports
        kinds = [self._kind(platform, ports, self.model.breakouts, "ports")]
        for index, more in enumerate(ports.more):
            kinds.append(self._kind(platform, more, more.breakouts, "ports", "more", index))
        total = sum(kind.count for kind in kinds)
        if total > MOST_PORTS:
            message = counted(total, "port")
            self._add("INT024", message, f"use at most {MOST_PORTS:,}", "ports", "more")
        return tuple(kinds)

    def _kind(
        self, platform: Platform, cages: OwnCages, breakouts: tuple[str, ...], *path: str | int
    ) -> CageKind:
        return CageKind(
            count=cages.count,
            lanes=cages.lanes,
            speeds_gbps=tuple(sorted(set(cages.speeds_gbps))),
            name=cages.name,
            alias=cages.alias,
            part_name=cages.part_name or "",
            part_alias=cages.part_alias or "",
            breakouts=breakouts,
            speed_tokens=self._speed_words(platform, cages, path),
            step=cages.step or 0,
            slot_ports=cages.slot_ports or 0,
            first_slot=cages.first_slot,
        )

    def _speed_words(
        self, platform: Platform, ports: OwnCages, path: tuple[str | int, ...]
    ) -> dict[int, str]:
        if platform.speed_words == "plain":
            return {speed: f"{speed}g" for speed in ports.speeds_gbps}
        words = {int(word.partition("g")[0]): word for word in ports.speed_words}
        missing = sorted(set(ports.speeds_gbps) - words.keys())
        if platform.speed_words == "lanes" and missing:
            message = f"the {platform.title} keyword for {missing[0]} Gb/s on this model is not set"
            fix = f"add speed_words: [{missing[0]}g-LANES]"
            self._add("INT024", message, fix, *path)
        if ports.speed_words and not platform.speed_words:
            message = f"{platform.title} uses numeric speeds"
            self._add("INT024", message, "remove speed_words", *path, "speed_words")
        return words

    def _words(self, platform: Platform) -> dict[str, str]:
        shares = self.model.shared_buffer
        words = {"platform": self.model.platform or self.model.name}
        if (shares is None) is platform.shares_buffer:
            message = (
                f"{platform.title} has no shared_buffer setting"
                if shares
                else (f"the packet buffer partition of {platform.title} is not set")
            )
            fix = "remove the line" if shares else "add shared_buffer, and facts.buffer_bytes"
            self._add("INT024", message, fix, "shared_buffer" if shares else "nos")
        if shares is None:
            return words
        numbers = shares.model_dump(exclude_none=True)
        if (shares.dedicated_ingress_percent is None) is not (
            shares.dedicated_egress_percent is None
        ):
            message = "the dedicated buffer is set for one direction only"
            self._add("INT024", message, "set it for both, or for neither", "shared_buffer")
        for side in ("ingress", "egress"):
            whole = sum(value for name, value in numbers.items() if name.startswith(side))
            if whole != _WHOLE_PERCENT:
                message = f"the {side} shares sum to {whole} percent"
                self._add("INT024", message, "adjust them to 100", "shared_buffer")
        return words | {name: str(value) for name, value in numbers.items()}

    def _check_name(self, others: Iterable[str]) -> None:
        name = self.model.name
        if name in sku_names() and not sku(name).lacks:
            message = f"{name!r} is a built-in model"
            self._add("INT023", message, "use a different name", "name")
        if name in others:
            self._add("INT023", f"{name!r} appears twice", "define each model once", "name")

    def _check_names(self, built: Sku) -> None:
        numbers = range(1, built.port_count + 1)
        for what, name in (("name", built.port), ("alias", built.alias)):
            if built.kinds and len({name(number) for number in numbers}) < built.port_count:
                message = f"the {what} patterns of two kinds name the same port"
                self._add("INT024", message, "use patterns that differ", "ports", "more")

    def _family(self) -> Asic | None:
        try:
            return asic(self.model.asic)
        except KeyError:
            words = [word for name in asic_names() for word in (name, *asic(name).aliases)]
            close = closest(self.model.asic, words)
            fix = f"did you mean '{close}'?" if close else f"known: {', '.join(asic_names())}"
            message = f"unknown ASIC family '{printable(self.model.asic)}'"
            self._add("INT024", message, fix, "asic")
            return None

    def _check_lanes(self) -> None:
        ports = self.model.ports
        count = ports.count + sum(more.count for more in ports.more)
        first_lanes = ports.first_lanes
        if first_lanes and len(first_lanes) != count:
            message = f"{counted(len(first_lanes), 'first lane')} for {counted(count, 'port')}"
            self._add("INT024", message, "set one per port", "ports", "first_lanes")
        elif len(set(first_lanes)) != len(first_lanes):
            message = "a first lane appears twice"
            self._add(
                "INT024", message, "use a different one for each port", "ports", "first_lanes"
            )

    def _table(self, family: Asic | None) -> PgTable:
        text = self._read("headroom_table", self.model.headroom_table)
        table = parse_pg_table(text or "")
        self._report("headroom_table", table.problems)
        if text is not None and not table.rows and not table.problems:
            message = "the table has no rows, so the switch creates no lossless buffers"
            self._add("INT025", message, "remove the line", "headroom_table")
        if family and family.law == SPECTRUM:
            self._report("headroom_table", unreserved(table), Severity.WARNING)
        return table

    def _pools(self) -> BufferPools:
        text = self._read("buffers", self.model.buffers)
        buffers = parse_buffers(text if text is not None else "{}")
        if text is not None:
            self._report("buffers", buffers.problems)
        return buffers

    def _facts(self, pools: BufferPools) -> dict[str, Fact]:
        facts: dict[str, Fact] = {}
        if pools.largest_bytes:
            facts["buffer_bytes"] = Fact(
                pools.largest_bytes, f"{self.model.buffers}: the largest pool", "deduced"
            )
        for name, own in self.model.facts.items():
            kind = FACTS.get(name)
            if kind is None or kind.unit == "text":
                numbers = [known for known, one in FACTS.items() if one.unit != "text"]
                close = closest(name, numbers)
                fix = f"did you mean '{close}'?" if close else f"known: {', '.join(numbers)}"
                self._add("INT024", "unknown fact", fix, "facts", name)
                continue
            value = int(own.value) if own.value.is_integer() else own.value
            if is_whole(name) and not isinstance(value, int):
                message = f"{value} is not a whole number"
                self._add("INT024", message, "remove the fraction", "facts", name, "value")
            facts[name] = Fact(value, own.source, own.grade)
        return facts

    def _read(self, name: str, relative: str | None) -> str | None:
        if relative is None:
            return None
        try:
            path = self.folder / KIND / relative
            return read_text(path, self._shown(relative), root=self.folder, kind=FileKind.TABLE)
        except InputError as error:
            for one in error.findings:
                message = f"'{printable(relative)}': {one.message}"
                self._add(one.rule, message, one.fix, name)
            return None

    def _shown(self, relative: str) -> str:
        head, slash, _ = self.document.file.rpartition("/")
        return printable(f"{head}{slash}{relative}")

    def _report(
        self, name: str, problems: tuple[Problem, ...], severity: Severity = Severity.ERROR
    ) -> None:
        relative = getattr(self.model, name)
        named = self.document.value_position((*self.path, name))
        for problem in problems[:MOST_PROBLEMS]:
            position = Position(self._shown(relative), problem.line, problem.column)
            self.findings.append(
                Finding(
                    "INT025",
                    severity,
                    problem.message,
                    f"{problem.fix} (file named at {named})",
                    field_text((*self.path, name)),
                    position,
                )
            )
        if len(problems) > MOST_PROBLEMS:
            more = len(problems) - MOST_PROBLEMS
            message = f"'{printable(relative)}': {counted(more, 'more line')} like these"
            self._add("INT025", message, "copy the file from the switch again", name)

    def _add(self, rule: str, message: str, fix: str, *path: str | int) -> None:
        whole = (*self.path, *path)
        document = self.document
        on_key = path[0] == "facts" and path[-1] != "value"
        position = document.position(whole) if on_key else document.value_position(whole)
        self.findings.append(
            Finding(rule, Severity.ERROR, message, fix, field_text(whole), position)
        )

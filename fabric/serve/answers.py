"""From an answer of the engine to bytes: names are encoded once for a fabric, not for an answer."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core import hostlist
from fabric.placement.place import reason_of
from fabric.report.placement import PLACEMENT_FORMAT
from fabric.workflow.place import figures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.placement.engine.engine import Engine
    from fabric.placement.engine.query import Answer, Query
    from fabric.topology.model import Fabric, Ints


class Names:
    """The host names of a fabric, ready to be written."""

    def __init__(self, fabric: Fabric) -> None:
        self._names = fabric.hosts.names
        self._quoted = [json.dumps(name) for name in self._names]
        matches = [_split(name) for name in self._names]
        prefixes = sorted({prefix for prefix, _ in matches}, key=hostlist.natural_key)
        place = {prefix: number for number, prefix in enumerate(prefixes)}
        self._prefix = np.array([place[prefix] for prefix, _ in matches])
        lengths = np.array([len(number) for _, number in matches])
        #: Whether the numbers of each prefix have one length, so that order and padding are plain.
        self._plain = bool(lengths.all()) and all(
            len(np.unique(lengths[self._prefix == number])) == 1 for number in place.values()
        )
        self._plain = self._plain and int(lengths.max(initial=0)) <= _MAX_DIGITS
        self._number = np.array([int(number) if self._plain else 0 for _, number in matches])
        self._order = np.lexsort((self._number, self._prefix))
        self._rank = np.argsort(self._order)
        self._texts = [number for _, number in matches]
        self._prefixes = prefixes

    def quoted(self, rows: Ints) -> str:
        """Return the names of rows as the members of a JSON list."""
        if len(rows) == 1:
            return self._quoted[int(rows[0])]
        return ",".join(itemgetter(*rows.tolist())(self._quoted))

    def fold(self, rows: Ints) -> str:
        """Return the names of rows as a range, by prefix and number."""
        if not self._plain:
            return hostlist.fold(self._names[row] for row in rows.tolist())
        if not len(rows):
            return ""
        sequence = self._order[np.sort(self._rank[rows])]
        prefix, number = self._prefix[sequence], self._number[sequence]
        breaks = np.flatnonzero((np.diff(prefix) != 0) | (np.diff(number) != 1)) + 1
        bounds = [0, *breaks.tolist(), len(sequence)]
        ends = [(int(sequence[start]), int(sequence[stop - 1])) for start, stop in pairwise(bounds)]
        groups = groupby(ends, key=lambda pair: int(self._prefix[pair[0]]))
        return ",".join(self._bracket(number, [*runs]) for number, runs in groups)

    def _bracket(self, prefix: int, runs: list[tuple[int, int]]) -> str:
        texts = self._texts
        parts = [
            texts[first] if first == last else f"{texts[first]}-{texts[last]}"
            for first, last in runs
        ]
        one = len(runs) == 1 and runs[0][0] == runs[0][1]
        return self._prefixes[prefix] + (parts[0] if one else f"[{','.join(parts)}]")


@dataclass(frozen=True, slots=True)
class EncodedPlacement:
    """A placement as JSON, without what changes while the state does not, and its warnings."""

    content: bytes
    warnings: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of it, each letter of a warning as one."""
        return len(self.content) + sum(map(len, self.warnings))


class AnswerCache:
    """Answers by request: a scheduler that tries again gets the same one without a search."""

    def __init__(self) -> None:
        self._answers: OrderedDict[bytes, EncodedPlacement] = OrderedDict()
        self._bytes = 0

    def get(self, request: bytes) -> EncodedPlacement | None:
        """Return the answer to the same bytes; None where there is none."""
        answer = self._answers.get(request)
        if answer is not None:
            self._answers.move_to_end(request)
        return answer

    def put(self, request: bytes, answer: EncodedPlacement) -> None:
        """Take an answer into the cache; those that were not asked for longest make room."""
        if request in self._answers:
            return
        self._bytes += len(request) + answer.size
        self._answers[request] = answer
        while self._bytes > _MAX_CACHED_BYTES:
            old_request, old = self._answers.popitem(last=False)
            self._bytes -= len(old_request) + old.size


#: Most bytes of a cache: our choice.
_MAX_CACHED_BYTES = 16 << 20
#: Numbers that fit an int64.
_MAX_DIGITS = 18


def encode(
    answer: Answer, query: Query, engine: Engine, names: Names, more: Mapping[str, Any]
) -> bytes:
    """Return an answer as JSON, with the members of `rocefab place --format json`.

    Parameters
    ----------
    more : mapping
        Further members that were asked for.
    """
    fabric = engine.fabric
    units = _units(answer, fabric, names)
    rest = {
        "rails": answer.rails,
        "reason": reason_of(answer, tuple(units), query),
        **figures(engine, answer, query.traffic),
        **more,
    }
    listed = ",".join(f"{json.dumps(unit)}:[{hosts}]" for unit, hosts in units.items())
    head = (
        f'{{"format":"{PLACEMENT_FORMAT}","fabric":{json.dumps(fabric.intent.fabric.name)},'
        f'"hosts":[{names.quoted(answer.rows)}],'
        f'"hostlist":{json.dumps(names.fold(answer.rows))},"units":{{{listed}}},'
    )
    return (head + json.dumps(rest, allow_nan=False)[1:]).encode()


def _units(answer: Answer, fabric: Fabric, names: Names) -> dict[str, str]:
    """Return the members of a JSON list of the hosts of each unit, in rank order."""
    units: dict[str, str] = {}
    first = 0
    for row, count in answer.units:
        name, quoted = fabric.intent.fabric.units[row].name, answer.rows[first : first + count]
        units[name] = f"{units[name]}," if name in units else ""
        units[name] += names.quoted(quoted)
        first += count
    return units


def _split(name: str) -> tuple[str, str]:
    """Return a name before its last number, and that number."""
    prefix = name.rstrip("0123456789")
    return prefix, name[len(prefix) :]

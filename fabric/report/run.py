"""report: what a run did to which devices, by whom and when, for the record of a change."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from fabric.core.clock import clock
from fabric.report.like_differences import differences
from fabric.report.run_rows import device_rows, gate_rows, journal_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.change.journal import Event, RunRecord
    from fabric.change.model import Plan
    from fabric.report.like_differences import Difference

    _Table = tuple[str, tuple[str, ...], Sequence[tuple[str, ...]]]

#: Version of the JSON form.
FORMAT = "rocefab-run-1"
#: States that a run ends in.
ENDS = ("done", "failed")
_GATE = "gate "


@dataclass(frozen=True)
class RunReport:
    """A run with its plan and the rows of the journal.

    Parameters
    ----------
    events : sequence of Event
        In their order.
    standing : str
        The state that it ended in, or whether a process works on it.
    rolled_back : str
        Which later runs rolled it back; empty where none did.
    full : bool
        Whether forms for people have each device, each row of the journal and each difference.
    """

    record: RunRecord
    plan: Plan
    events: Sequence[Event]
    standing: str
    rolled_back: str = ""
    full: bool = False

    @property
    def _own(self) -> list[Event]:
        """Rows of the run itself."""
        return [event for event in self.events if not event.device]

    @property
    def _last(self) -> dict[str, Event]:
        return {event.device: event for event in self.events if event.device}

    @property
    def outcome(self) -> str:
        """Return how the run ended, and why."""
        standing = ", ".join(filter(None, [self.standing, self.rolled_back]))
        detail = self._own[-1].detail if self.standing in ENDS else ""
        return f"{standing}: {detail}" if detail not in {"", self.rolled_back} else standing

    def facts(self) -> list[tuple[str, str]]:
        """Return what the run was, a name and a value each."""
        by, end = self.record.by, self.events[-1].at if self.events else self.record.started
        origin = self.plan.origin
        counts = Counter(event.state.value for event in self._last.values())
        rows = [
            ("run", f"{self.record.id} ({self.record.kind}) of fabric {self.record.fabric}"),
            ("outcome", self.outcome),
            ("by", f"{by.user} on {by.host}"),
            ("reason", by.reason),
            ("ticket", by.ticket),
            ("begun", clock(self.record.started)),
            ("last row", clock(end)),
            ("took", f"{end - self.record.started:,.0f} s"),
            ("devices", ", ".join(f"{number} {state}" for state, number in counts.items())),
            ("inventory", origin.inventory if origin else ""),
            ("revision", origin.revision if origin else ""),
            ("product", f"rocefab {origin.version}" if origin else ""),
        ]
        return [(name, value) for name, value in rows if value]

    def gates(self) -> list[tuple[str, str]]:
        """Return when gates were checked, and what they said."""
        return [
            (clock(event.at), event.detail.removeprefix(_GATE))
            for event in self._own
            if event.detail.startswith(_GATE) and event.state.value == "pending"
        ]

    def risk(self, name: str) -> str:
        """Return what the run risks on a device; a rollback shuts ports that are up by then."""
        device = self.plan.devices[name]
        return (device.risk_if_up if self.record.kind == "rollback" else device.risk).word

    @property
    def waves(self) -> list[Sequence[str]]:
        """Devices in the order in which the run comes to them; a rollback takes its own alone."""
        if self.record.kind != "rollback":
            return [*self.plan.waves]
        own = {event.device for event in self.events}
        back = ([name for name in wave if name in own] for wave in reversed(self.plan.waves))
        return [wave for wave in back if wave]

    def devices(self) -> list[tuple[str, str, str, str, str]]:
        """Return wave, device, risk, state and how long it took; in the order of the waves."""
        rows = []
        for number, wave in enumerate(self.waves, 1):
            for name in wave:
                own = [event for event in self.events if event.device == name]
                took = f"{own[-1].at - own[0].at:,.0f} s" if own else "-"
                state = f"{own[-1].state.value} {own[-1].detail}".strip() if own else "not begun"
                rows.append((str(number), name, self.risk(name), state, took))
        return rows

    def _tables(self) -> Iterator[_Table]:
        """Yield title, headers and rows of the tables; like devices are one row, but for full."""
        gates, devices = self.gates(), self.devices()
        journal = [(clock(e.at), e.device, e.state.value, e.detail) for e in self.events]
        if not self.full:
            waves = {name: turn for turn, wave in enumerate(self.waves) for name in wave}
            gates, devices = gate_rows(gates), device_rows(devices)
            journal = journal_rows(self.events, waves)
        if gates:
            yield "Gates", ("time", "gate"), gates
        yield "Devices", ("wave", "device", "risk", "state", "took"), devices
        yield "Rows of the journal", ("time", "device", "state", "detail"), journal

    @property
    def _differences(self) -> list[Difference]:
        return list(differences(self.plan.devices.values(), full=self.full))

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "format": FORMAT,
            **dict(self.facts()),
            "gates": [list(row) for row in self.gates()],
            "devices": [
                dict(zip(("wave", "device", "risk", "state", "took"), row, strict=True))
                for row in self.devices()
            ],
            "events": [
                {"at": e.at, "device": e.device, "state": e.state.value, "detail": e.detail}
                for e in self.events
            ],
            "diffs": {name: plan.diff for name, plan in self.plan.devices.items()},
        }

    def as_json(self) -> str:
        """Return the JSON form."""
        return json.dumps(self.as_dict(), indent=1) + "\n"

    def as_markdown(self) -> str:
        """Return the record as Markdown; differences are folded. A blank line ends it."""
        return "\n".join([*self._markdown(), "", ""])

    def _markdown(self) -> Iterator[str]:
        yield f"# Run {self.record.id} of fabric {_cell(self.record.fabric)}"
        yield ""
        yield from _table(("", ""), self.facts())
        for title, headers, rows in self._tables():
            yield from ("", f"## {title}", "", *_table(headers, rows))
        yield from ("", "## Differences")
        for one in self._differences:
            yield from ("", f"<details><summary>{escape(one.title)}</summary>", "")
            yield from (f"    {escape(line)}" for line in one.lines)
            yield from ("", "</details>")

    def as_html(self) -> str:
        """Return the record as a page without scripts."""
        parts = [f"<h1>Run {self.record.id} of fabric {escape(self.record.fabric)}</h1>"]
        parts.append(_html_table(("", ""), self.facts()))
        for title, headers, rows in self._tables():
            parts += [f"<h2>{title}</h2>", _html_table(headers, rows)]
        parts.append("<h2>Differences</h2>")
        for one in self._differences:
            text = f"<pre>{escape(chr(10).join(one.lines))}</pre>"
            parts.append(f"<details><summary>{escape(one.title)}</summary>{text}</details>")
        return _PAGE.format(title=f"Run {self.record.id}", body="\n".join(parts))


_PAGE = """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title>
<style>
body {{ font: 15px/1.5 sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; }}
table {{ border-collapse: collapse; }}
th, td {{ border: 1px solid #999; padding: .2em .6em; text-align: left; vertical-align: top; }}
pre {{ overflow-x: auto; }}
</style></head>
<body>
{body}
</body>
</html>
"""


def _cell(text: str) -> str:
    return escape(" ".join(text.split()), quote=False).replace("|", "\\|").replace("`", "'")


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(headers)} |"
    yield f"|{'---|' * len(headers)}"
    yield from (f"| {' | '.join(map(_cell, row))} |" for row in rows)


def _html_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in headers)
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table>\n<tr>{head}</tr>\n{body}\n</table>"

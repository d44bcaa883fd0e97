"""What a difference of two inventories consists of; its plain data are the JSON form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import TypeAdapter

#: Goes up when a reader of the JSON form must change.
DIFF_FORMAT = 1
#: What a text shows for a value that is absent on a side.
ABSENT_TEXT = "(absent)"

State = Literal["added", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands in the inventory; line 0 stands for the file as a whole."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Edit:
    """One value of the inventory that differs; what is None is absent on that side."""

    field: str
    before: str | None
    after: str | None
    before_place: Place | None
    after_place: Place | None

    @property
    def place(self) -> Place | None:
        """Where it stands now, or where it stood."""
        return self.after_place or self.before_place

    @property
    def change(self) -> str:
        """The field and its two values."""
        was, now = (ABSENT_TEXT if text is None else text for text in (self.before, self.after))
        return f"{self.field}: {was} -> {now}"

    def __str__(self) -> str:
        return f"{self.place} {self.change}"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a rendered file that differs.

    Parameters
    ----------
    file : str
        Path of the file below the output folder.
    path : str
        ``TABLE|row|field`` of CONFIG_DB, else the enclosing lines and the line without its value.
    before, after : str or None
        The two sides; None where the setting is absent.
    """

    file: str
    path: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        was, now = (ABSENT_TEXT if text is None else text for text in (self.before, self.after))
        return f"{self.path}: {was} -> {now}"


@dataclass(frozen=True, slots=True)
class Device:
    """A switch or host whose files differ.

    Parameters
    ----------
    risk : str
        Worst effect on traffic in the words of ``plan``; ``unknown`` where it cannot be told, and
        empty for a device that is added or removed.
    reload : bool or None
        Whether the change restarts the switch; None where that is not known.
    notes : tuple of str
        What a person is to know before the change is made.
    files : tuple of str
        Paths of the files that differ.
    risk_cause : str
        The line or row that has this risk, where it is known; empty for a harmless change.
    """

    name: str
    role: str
    platform: str
    state: State
    risk: str = ""
    reload: bool | None = False
    notes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()
    risk_cause: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """Inventory lines, and the devices whose files they change.

    Parameters
    ----------
    edits : tuple of Edit
        More than one where a setting follows from several of them; empty for settings that cannot
        be traced to a line.
    lines : int
        Settings that differ because of them, over all devices.
    example_device : str
        One of the devices; empty where there is none.
    example : tuple of Setting
        The first of its settings.
    """

    edits: tuple[Edit, ...]
    switches: tuple[str, ...]
    hosts: tuple[str, ...]
    lines: int
    example_device: str
    example: tuple[Setting, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """A name, address, AS number or cable that differs; None where it is absent on that side."""

    kind: str
    what: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the lossless policy that differs on some ports of one role.

    ``ports`` and ``devices`` count those with exactly these two values.
    """

    role: str
    ports_kind: str
    figure: str
    before: str
    after: str
    ports: int
    devices: int


@dataclass(frozen=True, slots=True)
class Compared:
    """An item of capacity, or of the effect of single failures, before and after."""

    item: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class TouchedJob:
    """A job that runs on hosts that the change touches, and on how many in all."""

    name: str
    touched: tuple[str, ...]
    hosts: int


@dataclass(frozen=True, slots=True)
class TouchedTenant:
    """A tenant that the change touches.

    Parameters
    ----------
    joined, left : tuple of str
        NICs that come to it, and that go, as host and rail.
    devices : tuple of str
        Switches and hosts that change under its traffic.
    """

    name: str
    state: State
    joined: tuple[str, ...]
    left: tuple[str, ...]
    devices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Consequence:
    """What a difference does to sessions, reach and protection, and the risk that follows."""

    risk: str
    words: str


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """A finding of a rule of ``check`` or ``prove`` that one side alone has.

    ``place`` is where the value stands on that side; None where no value is to blame.
    """

    rule: str
    severity: str
    message: str
    fix: str
    field: str
    device: str
    port: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class ProofVerdict:
    """What the own engine of ``prove`` says of the files of one side.

    Parameters
    ----------
    findings : int
        Findings of the proof that are warnings or errors.
    pairs, lost_pairs : int
        Ordered pairs of NICs that the design promises, and those of them that the files do not
        connect; of the family that loses more, tenants included.
    reason : str
        Why it did not run; empty where it did.
    """

    verdict: Literal["proved", "findings", "not run"]
    findings: int = 0
    pairs: int = 0
    lost_pairs: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """What rules and proof say of both sides.

    Parameters
    ----------
    new, gone : tuple of RuleFinding
        Findings that the second side alone has, and the first; the worst first.
    changed : tuple of RuleFinding
        Findings of the second side that the first one has with other values, at the same device,
        port and field.
    unchecked : tuple of str
        Rules that could not run, with the side and the reason.
    waived : tuple of RuleFinding
        Errors that the second side waives, and the first one does not.
    """

    new: tuple[RuleFinding, ...]
    gone: tuple[RuleFinding, ...]
    changed: tuple[RuleFinding, ...]
    unchecked: tuple[str, ...]
    proof_before: ProofVerdict
    proof_after: ProofVerdict
    waived: tuple[RuleFinding, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """The counts of a difference; None where an invalid first inventory was not compared.

    ``risk`` is the highest of all devices and consequences, ``risk_of_applying`` the highest of the
    devices alone: what loading the change does to traffic. ``reload`` tells whether a switch
    restarts, None where that is not known of one.
    """

    risk: str
    risk_of_applying: str = "unknown"
    reload: bool | None = None
    added: int | None = None
    removed: int | None = None
    changed: int | None = None
    edits: int | None = None
    lines: int | None = None
    hosts_changed: int | None = None
    hosts_attached: int | None = None


@dataclass(frozen=True, slots=True)
class Diff:
    """All that differs between two inventories.

    Parameters
    ----------
    before, after : str
        How messages name the two sides.
    attached : tuple of str
        Hosts whose own files stay, at switches that change with an effect on traffic.
    jobs : tuple of TouchedJob
        Of the jobs that were named, those on hosts that change or are attached.
    tenants : tuple of TouchedTenant
        Tenants whose NICs, switches or hosts change.
    consequences : tuple of Consequence
        What follows for sessions, reach and the protection of lossless traffic; the worst first.
    judged : Judged or None
        What rules and proof say; None where they were not asked.
    uncompared : tuple of str
        Comparisons that could not be made, with the reason; empty where all were.
    """

    before: str
    after: str
    fabric: str
    summary: Summary
    edits: tuple[Edit, ...]
    cables: tuple[Move, ...]
    moves: tuple[Move, ...]
    figures: tuple[Figure, ...]
    capacity: tuple[Compared, ...]
    causes: tuple[Cause, ...]
    devices: tuple[Device, ...]
    attached: tuple[str, ...]
    jobs: tuple[TouchedJob, ...] = ()
    tenants: tuple[TouchedTenant, ...] = ()
    consequences: tuple[Consequence, ...] = ()
    judged: Judged | None = None
    uncompared: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing differs, neither in the inventory nor in what follows from it."""
        network = (self.cables, self.moves, self.figures, self.capacity)
        return not (self.edits or self.devices or any(network) or self.uncompared)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        body: dict[str, Any] = TypeAdapter(Diff).dump_python(self, mode="json")
        return {"format": DIFF_FORMAT, **body}


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of `Diff.as_dict`."""
    body = TypeAdapter(Diff).json_schema(mode="serialization")
    properties = {"format": {"const": DIFF_FORMAT}, **body["properties"]}
    return {**body, "properties": properties, "required": list(properties)}

"""Collecting a plant piece by piece, with everything that is wrong about it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import closest, quoted
from fabric.core.validation import own_words
from fabric.exchange.names import Names
from fabric.exchange.notes import Notes
from fabric.exchange.plant import Cable, Device, Nic, Plant
from fabric.exchange.values import CABLE_WORDS, meant, typed
from fabric.intent.scalars import Interface, Name, PortName
from fabric.intent.yaml.file import input_error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.exchange.forms import Settings
    from fabric.exchange.plant import End

#: More than any fabric has: 131,072 NICs and as many links above them.
MAX_CABLES = 1_000_000
MAX_FINDINGS = 1_000
_NAME, _PORT = TypeAdapter(Name), TypeAdapter(PortName)
_INTERFACE: TypeAdapter[str] = TypeAdapter(Interface)


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is said: a position in a file, and the object where files have such."""

    position: Position
    field: str = ""


@dataclass
class Draft:
    """What was read so far.

    Parameters
    ----------
    file : str
        The source, as messages show it.
    closed : bool
        Whether the source names every device; a cable to another one is wrong then.
    cut_domain : bool
        Whether names of devices end at their first dot.
    roles : mapping
        Role by the word that the source has for it.
    names : Names
        Name of a device by the one that the source has.
    left_out : frozenset of str
        Devices that are not taken in, nor what belongs to them.
    """

    file: str
    closed: bool = False
    cut_domain: bool = False
    roles: Mapping[str, str] = field(default_factory=dict)
    names: Names = field(default_factory=Names)
    left_out: frozenset[str] = frozenset()
    findings: list[Finding] = field(default_factory=list)
    _devices: dict[str, Device] = field(default_factory=dict)
    _places: dict[str, Place] = field(default_factory=dict)
    _cables: dict[tuple[End, End], tuple[Cable, Place]] = field(default_factory=dict)
    _ports: dict[End, Place] = field(default_factory=dict)
    _nics: dict[End, Nic] = field(default_factory=dict)
    _whole: dict[str, str] = field(default_factory=dict)
    _ignored: set[str] = field(default_factory=set)
    _named: set[str] = field(default_factory=set)
    _seen_out: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, file: object, settings: Settings, *, closed: bool = False) -> Draft:
        """Return an empty draft of a source, with what the user says about it."""
        names, left_out = settings.names, settings.left_out
        return cls(str(file), closed, settings.cut_domain, settings.roles, names, left_out)

    def __post_init__(self) -> None:
        self._notes = Notes(self.file)

    def place(self, line: int = 1, column: int = 1, what: str = "") -> Place:
        """Return a place in the source."""
        return Place(Position(self.file, line, column), what)

    def wrong(self, rule: str, message: str, fix: str, place: Place) -> None:
        """Note something that is wrong; of very many, the first are enough."""
        if len(self.findings) >= MAX_FINDINGS:
            return
        self.findings.append(
            Finding(rule, Severity.ERROR, message, fix, place.field, place.position)
        )

    def device(
        self,
        name: object,
        place: Place,
        values: Mapping[str, object],
        *,
        source_role: bool = False,
    ) -> None:
        """Take a device in; what is said of it in several places must agree.

        Parameters
        ----------
        source_role : bool
            Whether the role is a word of the source, which the user may map.
        """
        if self._is_left_out(name):
            return
        name = self.name(name, place)
        if not self._valid(_NAME, name, "device", place):
            return
        typed = self._typed(values, place)
        role = typed.pop("role", "")
        if role:
            known = meant(str(role), self.roles if source_role else {})
            if known:
                typed["kind"], typed["role"] = known
            elif not typed.get("kind"):
                what = f"devices of the unknown role {quoted(str(role))} are ignored"
                self._notes.add(what, f"if they are switches: --role {role}=leaf", str(name))
                self._ignored.add(str(name))
                return
        name = str(name)
        old = self._devices.get(name, Device(name))
        for key, value in typed.items():
            before = getattr(old, key)
            if before not in {"", None, value}:
                where = self._places[name].position
                message = f"{key} of {name} is {quoted(str(value))}, and {quoted(str(before))} "
                self.wrong("EXC005", f"{message}at {where}", "remove one of them", place)
        self._devices[name] = replace(old, **typed)
        self._places.setdefault(name, place)

    def cable(self, one: End, other: End, place: Place, values: Mapping[str, object]) -> None:
        """Take a cable in; the same cable may be told twice, from both ends.

        Its near address is that of the end which is named first.
        """
        if self._is_left_out(one[0], other[0]):
            return
        one, other = (self.name(one[0], place), one[1]), (self.name(other[0], place), other[1])
        if not all([self._end(one, place), self._end(other, place)]):
            return
        if one[0] == other[0]:
            what = "cables end on the device that they start from, and are ignored"
            self._notes.add(what, "set the device at the other end", " ".join((*one, other[1])))
            return
        if len(self._cables) >= MAX_CABLES:
            return
        typed = self._typed(values, place)
        addresses = typed.pop("near_address", ""), typed.pop("far_address", "")
        ipv6 = typed.pop("near_ipv6", ""), typed.pop("far_ipv6", "")
        cable = Cable.between(one, other, **typed, addresses=addresses, ipv6=ipv6)
        key = (cable.near, cable.far)
        if key in self._cables:
            self._cables[key] = (self._merged(self._cables[key][0], cable, place), place)
            return
        taken = [end for end in key if end in self._ports]
        for end in taken:
            message = f"port {end[1]} of {end[0]} already has a cable, at {_at(self._ports[end])}"
            self.wrong("EXC002", message, "a port can have one cable; remove one of them", place)
        if not taken:
            self._cables[key] = (cable, place)
            self._ports |= dict.fromkeys(key, place)

    def nic(self, host: str, interface: object, place: Place, values: Mapping[str, object]) -> None:
        """Take a NIC in."""
        if self._is_left_out(host):
            return
        host = self.name(host, place)
        if not self._valid(_INTERFACE, interface, "interface", place):
            return
        end = (host, str(interface))
        if end in self._nics:
            message = f"interface {end[1]} of {host} appears twice"
            self.wrong("EXC005", message, "remove one of them", place)
        self._nics[end] = Nic(*end, **self._typed(values, place))

    def plant(self, name: str = "") -> Plant:
        """Return what was read.

        Raises
        ------
        InputError
            With everything that is wrong.
        """
        self._check_ends()
        self._check_names()
        self._check_left_out()
        if len(self._cables) >= MAX_CABLES:
            message = f"there are more than {MAX_CABLES:,} cables"
            self.wrong("EXC007", message, "import one fabric at a time", self.place())
        if self.findings:
            raise input_error(self.findings, self.file)
        cables = (cable for cable, _ in self._cables.values())
        kept = tuple(one for one in cables if not {one.near[0], one.far[0]} & self._ignored)
        nics = tuple(nic for nic in self._nics.values() if nic.host not in self._ignored)
        return Plant(name, tuple(self._devices.values()), kept, nics, self._notes.all())

    def _check_ends(self) -> None:
        for cable, place in self._cables.values():
            for device, port in (cable.near, cable.far):
                if device in self._devices or device in self._ignored:
                    continue
                if not self.closed:
                    self._devices[device] = Device(device)
                    continue
                near = closest(device, list(self._devices))
                fix = f"did you mean {near}?" if near else "add the device, or remove the cable"
                message = f"a cable ends on {device} {port}, but the device does not exist"
                self.wrong("EXC004", message, fix, place)

    def _merged(self, old: Cable, new: Cable, place: Place) -> Cable:
        both: dict[str, Any] = {}
        for name in CABLE_WORDS:
            before, now = getattr(old, name), getattr(new, name)
            both[name] = before if now in {None, ""} else now
            if not {None, ""} & {before, now} and before != now:
                what = f"{old.near[0]} {old.near[1]} to {old.far[0]} {old.far[1]}"
                message = f"{name} of the cable {what} is {now}, but {before} elsewhere"
                self.wrong("EXC005", message, "remove one of them", place)
        return replace(old, **both)

    def short(self, name: str) -> str:
        """Return the name of a device in the inventory."""
        if name in self.names.by_source:
            self._named.add(name)
            return self.names.by_source[name]
        return name.partition(".")[0] if self.cut_domain else name

    def name(self, name: Any, place: Place) -> Any:
        """Return the name of a device in the inventory; two must not become one."""
        if not (self.cut_domain or self.names.by_source) or not isinstance(name, str):
            return name
        short = self.short(name)
        whole = self._whole.setdefault(short, name)
        if whole != name:
            message = f"{quoted(name)} and {quoted(whole)} would both become {quoted(short)}"
            fix = "give each its own name with --names FILE"
            if self.cut_domain:
                fix = f"import them without --cut-domain, or {fix}"
            self.wrong("EXC005", message, fix, place)
        return short

    def _check_names(self) -> None:
        """Refuse names that no device of the source has."""
        for source in self.names.by_source if self.names.required else ():
            if source not in self._named:
                near = closest(source, list(self._whole.values()))
                fix = f"did you mean {quoted(near)}?" if near else "remove the row"
                message = f"no device of the source that is imported has the name {quoted(source)}"
                self.wrong("EXC004", message, fix, Place(self.names.places[source]))

    def _is_left_out(self, *names: object) -> bool:
        """Tell whether one of some devices is left out, by its name in the source or here."""
        texts = [name for name in names if isinstance(name, str)] if self.left_out else []
        hits = {word for name in texts for word in (name, self.short(name))} & self.left_out
        self._seen_out |= hits
        return bool(hits)

    def _check_left_out(self) -> None:
        """Refuse names to leave out that no device of the source has."""
        for name in sorted(self.left_out - self._seen_out):
            near = closest(name, list(self._devices))
            fix = f"did you mean {quoted(near)}?" if near else "remove it from --leave-out"
            message = f"--leave-out: no device of the source has the name {quoted(name)}"
            self.wrong("EXC004", message, fix, self.place())

    def _end(self, end: End, place: Place) -> bool:
        device = self._valid(_NAME, end[0], "device", place)
        return self._valid(_PORT, end[1], "port", place) and device

    def _valid(self, adapter: TypeAdapter[str], text: object, what: str, place: Place) -> bool:
        try:
            adapter.validate_python(text, strict=True)
        except ValidationError as error:
            said = own_words(error.errors()[0]["msg"])
            if said.startswith(("String", "Input")):
                fix = "use text" if what == "device" else "use A-Z a-z 0-9 / : _ . -"
                said = f"{quoted(str(text))} is not a valid {what} name; {fix}"
            message, _, fix = said.partition("; ")
            if what == "device" and isinstance(text, str) and text:
                fix = f"{fix}, or map it with --names FILE"
            self.wrong("EXC001", message, fix, place)
            return False
        return True

    def _typed(self, values: Mapping[str, object], place: Place) -> dict[str, Any]:
        """Return values of the types that the fields have; what does not fit is a finding."""
        fields_of: dict[str, Any] = {}
        for key, value in values.items():
            if value is None or value == "":
                continue
            try:
                fields_of[key] = typed(key, value)
            except ValueError as error:
                message, _, fix = str(error).partition("; ")
                self.wrong("EXC001", f"{key}: {message}", fix, place)
        return fields_of


def _at(place: Place) -> str:
    return f"{place.position} {place.field}".rstrip()

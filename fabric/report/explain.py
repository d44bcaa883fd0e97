"""explain: which inventory value, rule and source a line of the output comes from."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.intent.classes import ONE_CLASS, lossless_classes
from fabric.intent.policy import set_paths
from fabric.intent.resolve import field_value
from fabric.platforms import platforms
from fabric.render.explain import Explanation, entries, explain_lines, known
from fabric.report.explain_plans import in_plan
from fabric.validate.runner import all_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.artefact import Artefact
    from fabric.core.findings import Position
    from fabric.design.designs import Designs
    from fabric.intent.inventory import Located
    from fabric.intent.policy import Model
    from fabric.render.explain import PlacedLine


_POLICY = "lossless."
#: Beginning of the ids of rules that speak of hosts alone.
_HOST_RULES = {"HST": "host"}


@dataclass(frozen=True, slots=True)
class Value:
    """An inventory value that decides a line: what it is, and where it stands."""

    field: str
    value: str
    position: Position | None = None
    level: str = ""

    @property
    def where(self) -> str:
        """Return level and position of the value, or that it is a default."""
        if not self.position:
            return "rocefab default"
        return ", ".join(part for part in (self.level, str(self.position)) if part)


@dataclass(frozen=True)
class Answer:
    """What is known of one line of the output, or of one kind of lines."""

    subject: str
    line: str
    values: tuple[Value, ...]
    rules: tuple[str, ...]
    template: str
    source: str

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        values = [{"field": v.field, "value": v.value, "where": v.where} for v in self.values]
        return {**asdict(self), "values": values}

    def as_text(self) -> str:
        """Return a few lines for a person."""
        lines = [self.subject, *([f"    {self.line}"] if self.line else [])]
        lines += [f"  value     {v.field} = {v.value}  ({v.where})" for v in self.values]
        if not self.values:
            lines.append("  value     fixed; not set in the inventory")
        if self.rules:
            lines.append(f"  rules     {', '.join(self.rules)}")
        return "\n".join([*lines, f"  template  {self.template}", f"  source    {self.source}"])


def explain(designs: Designs, device: str, artefacts: list[Artefact], text: str) -> list[Answer]:
    """Return what is known of the lines that hold ``text``; of every kind of line without one.

    Parameters
    ----------
    designs : Designs
        The inventory and what follows from it.
    device : str
        Name of a switch or host.
    artefacts : list of Artefact
        What is rendered for the device.
    text : str
        A table, field or line of its configuration; empty for every kind of line.

    Raises
    ------
    InputError
        When no line holds the text.
    """
    platform = _platform(designs, device)
    if not text:
        return [
            _answer(designs, device, entry.template, "", entry, "") for entry in entries(platform)
        ]
    matches = explain_lines(platform, artefacts, text)
    if not matches:
        message = f"no line of {device} contains {text!r}"
        raise nothing_to_explain(
            message, "try a table or field name; `rocefab render` shows all lines"
        )
    return [
        _answer(designs, device, f"{line.artefact}:{line.number}", line.line.strip(), entry, port)
        for line in matches
        for entry in line.explanations[:1]
        for port in [_port(designs, device, line.context, line.line)]
    ]


def answer_line(designs: Designs, device: str, line: PlacedLine, text: str) -> Answer | None:
    """Return what is known of ``text`` in a line of a device's output; None where nothing is."""
    for entry in known(_platform(designs, device), line, text)[:1]:
        port = _port(designs, device, line.context, line.text)
        subject = f"{line.artefact}:{line.number}"
        return _answer(designs, device, subject, line.text.strip(), entry, port)
    return None


def nothing_to_explain(message: str, fix: str) -> InputError:
    """Return the error of a device or a line that does not exist."""
    return InputError("nothing to explain", [Finding("EXP001", Severity.ERROR, message, fix)])


def _port(designs: Designs, device: str, context: str, line: str) -> str:
    """Return the port that a line is about, so that its own override counts."""
    if device not in designs.devices:
        return ""
    words = {*context.replace("|", " ").split(), *line.replace('"', " ").split()}
    return next((port.name for port in designs.devices[device].ports if port.name in words), "")


def _answer(
    designs: Designs, device: str, subject: str, line: str, entry: Explanation, port: str
) -> Answer:
    entry = in_plan(designs, device, port, line, entry)
    return Answer(
        subject=subject,
        line=line,
        values=tuple(
            value for field in entry.fields for value in _values(designs, device, field, port)
        ),
        rules=_rules(entry.fields, _platform(designs, device)),
        template=f"templates/{entry.template}",
        source=entry.source,
    )


@cache
def _rules(fields: tuple[str, ...], platform: str) -> tuple[str, ...]:
    """Return the ids of the rules that guard one of the fields on a platform."""
    return tuple(
        rule.id
        for rule in all_rules()
        if set(rule.guards) & set(fields)
        and _rules_of_one_platform().get(rule.id[:3], platform) == platform
    )


@cache
def _rules_of_one_platform() -> dict[str, str]:
    own = {platform.rule_prefix: name for name, platform in platforms.items()}
    return {**own, **_HOST_RULES}


def _platform(designs: Designs, device: str) -> str:
    return designs.devices[device].platform if device in designs.devices else "host"


def _values(designs: Designs, device: str, field: str, port: str) -> list[Value]:
    if field.startswith(_POLICY):
        return list(_policy_values(designs, device, field.removeprefix(_POLICY), port))
    parts = field.split(".")
    if parts[0] == "devices":
        return list(_device_values(designs, device, parts[1:]))
    if parts[0] == "hosts":
        return list(_host_values(designs, device, parts[1:]))
    if parts[0] == "host" and device in designs.hosts:
        own = _trait_value(designs, device, tuple(parts[1:]))
        if own:
            return [own]
    value: Any = designs.intent.fabric
    for part in parts:
        value = getattr(value, part, None)
    if value is None:
        return []
    text = f"{len(value)} entries" if isinstance(value, tuple) and value else str(value)
    return [Value(f"fabric.{field}", text, designs.intent.position(*parts))]


def _device_values(designs: Designs, device: str, parts: list[str]) -> Iterator[Value]:
    """Yield what the overrides of a switch set: a field of its own, or of its ports."""
    for override in designs.intent.device_overrides.get(device, []):
        if parts[0] != "ports":
            yield from _set_value(override, override.value, (), parts[0])
            continue
        for port, change in override.value.ports.items():
            yield from _set_value(override, change, ("ports", port), parts[-1])


def _host_values(designs: Designs, device: str, parts: list[str]) -> Iterator[Value]:
    """Yield what the overrides of a host, or of the hosts at a leaf, set."""
    names = {device}
    if device in designs.devices:
        names = {port.peer for port in designs.devices[device].ports if port.kind == "host"}
    for name in sorted(names):
        for override in designs.intent.host_overrides.get(name, []):
            if parts[0] != "nics":
                yield from _set_value(override, override.value, (), parts[0])
                continue
            for index, nic in enumerate(override.value.nics):
                yield from _set_value(override, nic, ("nics", index), parts[-1])


def _trait_value(designs: Designs, device: str, path: tuple[str, ...]) -> Value | None:
    """Return what an override says a host is like, where it says so."""
    for override in reversed(designs.intent.host_overrides.get(device, [])):
        traits = override.value.traits
        if traits and any(field_path[: len(path)] == path for field_path in set_paths(traits)):
            name = override.field("traits", *path)
            value = str(field_value(traits, ".".join(path)))
            return Value(name, value, override.position("traits", *path))
    return None


def _set_value(
    override: Located[Any], value: Model, path: tuple[str | int, ...], field: str
) -> Iterator[Value]:
    if field in value.model_fields_set:
        name = override.field(*path, field)
        yield Value(name, str(getattr(value, field)), override.position(*path, field))


def _policy_values(designs: Designs, device: str, field: str, port: str) -> Iterator[Value]:
    """Yield the value of a policy field; of each class that has its own."""
    resolver = designs.resolver
    if device in designs.hosts:
        policy = resolver.host(device)
    else:
        policy = resolver.switch(device, designs.devices[device].role, port)
    fields = {one.field(field): one for one in lossless_classes(policy)}
    listed = field in ONE_CLASS or field.startswith(("ecn.", "scheduler.lossless_percent"))
    for name, one in fields.items() if listed else ((field, None),):
        if device in designs.hosts:
            origin = resolver.host_origin(name, device)
        else:
            origin = resolver.switch_origin(name, device, designs.devices[device].role, port)
        value = field_value(policy, field) if one is None or name == field else one.value(field)
        yield Value(origin.field, str(value), origin.position, origin.level)

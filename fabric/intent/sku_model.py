"""``platforms/*.yaml``: switch models of the user's own."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from fabric.intent.policy import Model, Percent
from fabric.intent.scalars import Gbps, Loose, Text, formed
from fabric.platforms import platforms
from fabric.platforms.breakout import parse_mode

_PLACEHOLDER = re.compile(r"\{(?:number|index|lane|slot_port)\}")
_PART_PLACEHOLDER = re.compile(r"\{(?:number|index|lane|slot_port|part|ordinal|letter|first)\}")
_SLOT = "{slot}"
_LONGEST_PATH = 200


def _pattern(text: str) -> str:
    named = text.replace(_SLOT, "")
    plain = _PLACEHOLDER.sub("", named)
    if plain == named or not re.fullmatch(r"[A-Za-z0-9/:_.-]*", plain):
        raise ValueError(
            f"{text!r} does not name a port; use letters, digits and / : _ . - around {{number}} "
            "(from 1), {index} (from 0), {lane} (first lane, from 0) or {slot} and {slot_port}"
        )
    return text


def _part_pattern(text: str) -> str:
    """Take patterns that name each part of each cage."""
    plain = _PART_PLACEHOLDER.sub("", text.replace(_SLOT, ""))
    tells = re.search(
        r"\{lane\}|\{(?:number|index|slot_port)\}.*\{(?:part|ordinal|letter|first)\}", text
    )
    if not tells or not re.fullmatch(r"[A-Za-z0-9/:_.-]*", plain):
        raise ValueError(
            f"{text!r} does not name a part of a cage; use {{lane}}, or {{number}} or {{index}} "
            "and behind it {part} (from 0), {ordinal} (from 1), {letter} (from a) or {first} (its "
            "first lane, from 1)"
        )
    return text


def _mode(text: str) -> str:
    parse_mode(text)
    return text


def _inside(text: str) -> str:
    path = PurePosixPath(text)
    if not text.isprintable() or not text.isascii() or not 0 < len(text) <= _LONGEST_PATH:
        raise ValueError("a path of 1 to 200 printable ASCII characters is needed; rename the file")
    if path.is_absolute() or ".." in path.parts or re.search(r"[\\:]", text):
        raise ValueError(
            f"{text!r} may point outside the inventory folder; put the file below "
            f"this one and use a relative path without '..'"
        )
    return text


PortPattern = Annotated[str, Field(max_length=48), AfterValidator(_pattern)]
PartPattern = Annotated[str, Field(max_length=48), AfterValidator(_part_pattern)]
InsidePath = Annotated[str, AfterValidator(_inside)]
SkuName = Annotated[
    str,
    formed(
        r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$",
        "at most 63 letters, digits, ., _ and -, starting with a letter or digit",
    ),
]
FactName = Annotated[
    str,
    formed(
        r"^[a-z][a-z0-9_]{0,39}$",
        "at most 40 lower-case letters, digits and _, starting with a letter",
    ),
]
Breakout = Annotated[str, Field(max_length=64), AfterValidator(_mode)]
SpeedWord = Annotated[
    str,
    formed(
        r"^((10|25)g|(10|25|40|50|100|200|400|800)g-[1-8])$",
        "speed and lanes, such as 400g-8, or 10g or 25g",
    ),
]
Lane = Annotated[int, Field(ge=0, le=65_535)]


class OwnCages(Model):
    """Cages of one kind that follow each other."""

    count: int = Field(ge=1, le=1024, description="Ports.")
    lanes: int = Field(ge=1, le=16, description="SerDes lanes of a port.")
    name: PortPattern = Field(
        description="Port names as a pattern: {number} counts from 1, {index} and {lane} from 0."
    )
    alias: PortPattern = Field(description="Front panel names, as a pattern.")
    part_name: PartPattern | None = Field(
        None, description="Port names of a cage that is broken out, as a pattern."
    )
    part_alias: PartPattern | None = Field(
        None, description="Front panel names of a cage that is broken out, as a pattern."
    )
    step: int | None = Field(
        None, ge=1, le=64, description="Step of {lane} from port to port, if not the lanes."
    )
    slot_ports: int | None = Field(
        None,
        ge=1,
        le=64,
        description="Ports of a line card, for {slot} and {slot_port} (from 1) in names.",
    )
    first_slot: int = Field(1, ge=0, le=64, description="Slot of the first line card.")
    speeds_gbps: Annotated[tuple[Gbps, ...], Loose] = Field(
        min_length=1, description="Speeds that a whole port supports."
    )
    speed_words: Annotated[tuple[SpeedWord, ...], Loose] = Field(
        (), description="Speed keywords with their lanes: 400g-4, or 25g (EOS)."
    )

    @model_validator(mode="after")
    def _slots_have_ports(self) -> Self:
        names = (self.name, self.alias, self.part_name or "", self.part_alias or "")
        if self.slot_ports is None and any("{slot" in name for name in names):
            raise ValueError("names with {slot} or {slot_port} need slot_ports, ports of a card")
        return self


class MoreCages(OwnCages):
    """Cages of a further kind, after those of the kinds before it."""

    breakouts: Annotated[tuple[Breakout, ...], Loose] = Field(
        (), description="Breakout modes that a port of this kind offers, such as 2x50G."
    )


class OwnPorts(OwnCages):
    """Front panel ports of the fabric; service and management ports do not count."""

    more: Annotated[tuple[MoreCages, ...], Loose] = Field(
        (),
        max_length=8,
        description="Further kinds of ports in order; {number}, {index} and {lane} count on.",
    )
    first_lanes: Annotated[tuple[Lane, ...], Loose] = Field(
        (), description="First lane of each port in order, if not 0, lanes, 2 x lanes, ..."
    )


Dedicated = Annotated[int, Field(ge=15, le=100)]


class SharedBuffer(Model):
    """Partition of the packet buffer on Junos, in percent; each direction sums to 100."""

    ingress_lossless_percent: Percent = Field(description="Ingress: lossless traffic.")
    ingress_headroom_percent: Percent = Field(description="Ingress: headroom.")
    ingress_lossy_percent: Percent = Field(description="Ingress: other traffic.")
    egress_lossless_percent: Percent = Field(description="Egress: lossless traffic.")
    egress_lossy_percent: Percent = Field(description="Egress: other traffic.")
    lossless_dynamic_threshold: int | None = Field(
        None, ge=0, le=10, description="Ingress: share of the lossless buffer for one port."
    )
    dedicated_ingress_percent: Dedicated | None = Field(
        None, description="Share of the whole buffer dedicated to ports; the rest is shared."
    )
    dedicated_egress_percent: Dedicated | None = Field(None, description="The same for egress.")


class OwnFact(Model):
    """A number that overrides that of the ASIC family."""

    value: float = Field(
        gt=0, allow_inf_nan=False, description="Value, in the unit that the name ends with."
    )
    source: Text = Field(min_length=1, description="Source of the number.")
    grade: Literal["vendor", "deduced", "unconfirmed"] = Field(
        "vendor", description="Grade of the number; unconfirmed numbers are shown but not used."
    )


def _known_system(name: str) -> str:
    if name not in platforms:
        context = {"expected": " or ".join(f"'{system}'" for system in platforms)}
        raise PydanticCustomError("literal_error", "Input should be {expected}", context)
    return name


def _systems(schema: dict[str, Any]) -> None:
    schema["enum"] = [*platforms]


System = Annotated[str, AfterValidator(_known_system), Field(json_schema_extra=_systems)]


class OwnSku(Model):
    """A switch model that is not built into rocefab."""

    name: SkuName = Field(
        description="Model name (SONiC: hwsku); must differ from built-in ones that are rendered."
    )
    nos: System = Field(description="Network operating system.")
    asic: str = Field(description="ASIC family; `rocefab show platforms --asics` lists them.")
    asics: int = Field(
        1,
        ge=1,
        le=64,
        description="ASICs that the ports are spread over; with several, checks of the packet "
        "buffer are skipped.",
    )
    ports: OwnPorts = Field(description="Front panel ports.")
    headroom_table: InsidePath | None = Field(
        None,
        description="Headroom, in the form of pg_profile_lookup.ini of SONiC, path from this file.",
    )
    buffers: InsidePath | None = Field(
        None, description="JSON with the table BUFFER_POOL of the switch, path from this file."
    )
    platform: Text | None = Field(
        None, description="Platform string (x86_64-...); the lab shows it; default: the name."
    )
    shared_buffer: SharedBuffer | None = Field(
        None, description="Shares of the packet buffer (Junos)."
    )
    gearbox_ns: float = Field(
        0.0, ge=0, le=100_000, description="Delay of a gearbox between ASIC and port, one way."
    )
    breakouts: Annotated[tuple[Breakout, ...], Loose] = Field(
        (), description="Breakout modes that a port of the first kind offers, such as 2x400G."
    )
    facts: dict[FactName, OwnFact] = Field(
        default_factory=dict,
        description="Facts of this model that override or extend those of the ASIC family.",
    )


class PlatformsFile(Model):
    """``platforms/*.yaml``."""

    skus: Annotated[tuple[OwnSku, ...], Loose] = Field(
        min_length=1, description="Own switch models."
    )

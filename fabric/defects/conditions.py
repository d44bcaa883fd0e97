"""What a fact about a defect can ask of a switch: a closed vocabulary, without any code."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fabric.platforms.data_file import DataModel

#: Longest text of a condition: a line of a configuration.
MOST_CHARACTERS = 200
Text = Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)]
Texts = Annotated[tuple[Text, ...], Field(max_length=64)]


class Bounds(DataModel):
    """An interval of a number, with its ends."""

    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _holds_something(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("set at_least, at_most or both")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"no number is from {self.at_least} to {self.at_most}")
        return self

    @property
    def words(self) -> str:
        """The interval in a few words."""
        ends = (("at least", self.at_least), ("at most", self.at_most))
        return " and ".join(f"{name} {end:.15g}" for name, end in ends if end is not None)

    def holds(self, value: float) -> bool:
        """Tell whether a number lies in it."""
        low, high = self.at_least, self.at_most
        return (low is None or value >= low) and (high is None or value <= high)


class Traits(DataModel):
    """What the lossless design of a switch is like; all that is set must hold.

    Where ports differ, it holds if it holds of one of them. A configuration file that does not say
    has no such trait.
    """

    pfc: bool | None = None
    watchdog: bool | None = None
    ecn: bool | None = None
    shared_headroom: bool | None = None
    tunnels: bool | None = None
    watchdog_action: tuple[Literal["drop", "forward", "alert"], ...] | None = None
    buffer_model: tuple[Literal["traditional", "dynamic"], ...] | None = None
    ecmp_mode: tuple[Literal["hash", "flowlet", "per-packet", "cluster"], ...] | None = None
    lossless_classes: Bounds | None = None
    speed_gbps: Bounds | None = None
    cable_m: Bounds | None = None
    watchdog_detection_ms: Bounds | None = None
    watchdog_restoration_ms: Bounds | None = None

    @property
    def asked(self) -> dict[str, bool | tuple[str, ...] | Bounds]:
        """What is set, by the name of the trait."""
        values = ((name, getattr(self, name)) for name in type(self).model_fields)
        return {name: value for name, value in values if value is not None}

    @property
    def words(self) -> list[str]:
        """What must hold, in words."""
        return [f"{name} is {_said(value)}" for name, value in self.asked.items()]


class ConfigCondition(DataModel):
    """A row of a CONFIG_DB, or a line of any other configuration; ``*`` stands for any text.

    Parameters
    ----------
    table, key : str
        Table, and key of the row.
    field : str
        Field that the row has.
    sum_of : tuple of str
        Fields whose sum is compared.
    line, under : str
        A line, and the one that opens its section.
    equals : tuple of str
        What the field is, one of these.
    at_least, at_most : float
        What the field, or the sum, is as a number.
    absent : bool
        That there is no such row or line.
    """

    table: str = Field("", max_length=MOST_CHARACTERS)
    key: Text = "*"
    field: str = Field("", max_length=MOST_CHARACTERS)
    sum_of: Texts = ()
    line: str = Field("", max_length=MOST_CHARACTERS)
    under: str = Field("", max_length=MOST_CHARACTERS)
    equals: Texts = ()
    at_least: float | None = None
    at_most: float | None = None
    absent: bool = False

    @model_validator(mode="after")
    def _is_one_test(self) -> Self:
        if bool(self.table) is bool(self.line):
            raise ValueError("set either table or line")
        if self.line and (self.field or self.sum_of or self.equals or self.bounds):
            raise ValueError("a line has no field; put `*` where it may differ")
        if self.field and self.sum_of:
            raise ValueError("set either field or sum_of")
        if (self.equals or self.bounds) and not (self.field or self.sum_of):
            raise ValueError("name the field that is compared")
        if self.under and not self.line:
            raise ValueError("under is the section of a line")
        return self

    @property
    def bounds(self) -> Bounds | None:
        """The interval of the number, where it has one."""
        if self.at_least is None and self.at_most is None:
            return None
        return Bounds(at_least=self.at_least, at_most=self.at_most)

    @property
    def words(self) -> str:
        """What the configuration says, in words."""
        no = "no " if self.absent else ""
        if self.line:
            return f"{no}line `{self.line}`" + (f" under `{self.under}`" if self.under else "")
        subject = " + ".join(self.sum_of) or self.field
        values = [f"is {_said(self.equals)}"] if self.equals else []
        values += [f"is {self.bounds.words}"] if self.bounds else []
        return " ".join(part for part in (f"{no}{self.table}|{self.key}", subject, *values) if part)


class StepTest(DataModel):
    """A step of a plan that changes a field of a CONFIG_DB; ``*`` stands for any text.

    Parameters
    ----------
    change : str
        Whether the field comes, gets another value or goes; a row that goes and comes again in
        another step does not change.
    equals : tuple of str
        What the field is after the step, one of these.
    """

    table: Text
    key: Text = "*"
    field: Text = "*"
    change: Literal["added", "changed", "removed", "any"] = "any"
    equals: Texts = ()

    @property
    def words(self) -> str:
        """What the step does, in words."""
        change = "touched" if self.change == "any" else self.change
        after = f" to {_said(self.equals)}" if self.equals else ""
        return f"a step: {self.table}|{self.key} {self.field} is {change}{after}"


def _said(value: object) -> str:
    if isinstance(value, Bounds):
        return value.words
    return " or ".join(value) if isinstance(value, tuple) else str(value).lower()

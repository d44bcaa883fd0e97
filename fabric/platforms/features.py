"""What a system can do, read from the file ``features.toml`` of its package.

The file declares the parts of a design that the system has (``features``) and what bounds their
values (``rules``, each with ``limits``). ``check``, ``render`` and
``docs/reference/platforms.md`` read nothing else.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from string import Formatter
from typing import TYPE_CHECKING, Literal

from pydantic import Field, field_validator, model_validator

from fabric.core.plugins import package_files
from fabric.platforms.data_file import DataModel, read_toml
from fabric.platforms.facts import Grade

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.platforms.model import Sku

FILE = "features.toml"
#: The keys of a limit that say what is compared; each limit has at least one. Of several that a
#: value exceeds, the first is reported.
COMPARISONS = (
    *("step", "range", "reserved", "values", "excluded", "equal", "per_switch"),
    *("multiple_of", "written", "without", "pattern", "longest", "most", "always"),
)
#: What the texts of a limit can name in braces; which of them depends on the comparison.
WORDS = frozenset(
    "field value text low high range step accepted signs longest most count first other listed "
    "base base_value system model".split()
)
#: Circumstances under which a limit holds; ``fabric.design.limits`` evaluates them.
Condition = Literal[
    "pfc", "watchdog", "switched ports", "no pause buffer", "used ports", "first class"
]


class Where(DataModel):
    """Switch models that a feature or a limit is about; empty tuples mean every model.

    Parameters
    ----------
    asics, not_asics : tuple of str
        ASIC families.
    laws, not_laws : tuple of str
        Headroom laws of ASIC families, such as ``dnx``.
    models, not_models : tuple of str
        Beginnings of model names.
    """

    asics: tuple[str, ...] = ()
    not_asics: tuple[str, ...] = ()
    laws: tuple[str, ...] = ()
    not_laws: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    not_models: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()

    def includes(self, sku: Sku, role: str = "") -> bool:
        """Tell whether a switch model, in a role, is meant."""
        law = sku.asic_facts.law if self.laws or self.not_laws else ""
        return (
            (not self.asics or sku.asic in self.asics)
            and sku.asic not in self.not_asics
            and (not self.laws or law in self.laws)
            and law not in self.not_laws
            and (not self.models or sku.name.startswith(self.models))
            and not (self.not_models and sku.name.startswith(self.not_models))
            and (not self.roles or not role or role in self.roles)
        )


class OtherModels(Where):
    """Models of which a feature is not what the cell says: its fields have those meanings."""

    rendered: bool = False
    rule: str = ""
    note: str = ""


class FeatureCell(Where):
    """A feature that a system has, by which models, and how well that is known.

    Parameters
    ----------
    grade : {"vendor", "deduced", "unconfirmed"}
        As the grades of `Fact`.
    source : str
        Vendor page, standard, or repository, commit and path.
    values : tuple of str
        Values of the feature that it has; empty where it has all of them.
    rendered : bool
        False where the system has settings of its own and the values of the design have no effect.
    rule : str
        Id of the rule that reports such values; SYS002 where it is empty.
    since : str
        First release that has it, as far as the inventory tells the release of a switch.
    default : int, optional
        What the system has where the inventory says nothing; None where no source tells it.
    note : str
        What a reader of the matrix has to know.
    fix : str
        What to do where a model lacks the feature or a value of it.
    unconfirmed_asics : tuple of str
        ASIC families, among those that have it, of which no source says so.
    absent : str
        Why the system does not have it; empty where it has it.
    of_table : bool
        Whether it is rendered only where a table has a figure of the model, in cells of a known
        size.
    by_law : str
        What the switch keeps where no table has a figure; empty: what is rendered.
    elsewhere : tuple of OtherModels
        Models that have it in another way.
    """

    source: str = Field(min_length=1)
    grade: Grade = "vendor"
    values: tuple[str, ...] = ()
    rendered: bool = True
    rule: str = ""
    since: str = ""
    default: int | None = None
    note: str = ""
    fix: str = ""
    unconfirmed_asics: tuple[str, ...] = ()
    absent: str = ""
    of_table: bool = False
    by_law: str = ""
    elsewhere: tuple[OtherModels, ...] = ()

    def of(self, sku: Sku, role: str = "") -> FeatureCell:
        """Return the cell as it is for a switch model."""
        for other in self.elsewhere:
            if other.includes(sku, role):
                own = {"rendered": other.rendered, "rule": other.rule, "note": other.note}
                return self.model_copy(update={**own, "by_law": ""})
        return self

    def is_newer(self, release: str) -> bool:
        """Tell whether it came after a release, which may be empty: unknown."""
        return bool(release and self.since) and numbers(release) < numbers(self.since)


class Limit(Where):
    """One bound of the values of a design.

    Parameters
    ----------
    fields : tuple of str
        Fields of the inventory, by the names of ``fabric.design.limits.FIELDS``.
    range : tuple of two numbers, optional
        Lowest and highest value; with ``multiple_of``, of the factor.
    reserved : tuple of two numbers, optional
        Lowest and highest value that the system keeps for itself.
    step : int, optional
        Every value is a multiple of it.
    values, excluded : tuple
        The values that are accepted, or that are not.
    equal : bool
        The fields have one value.
    per_switch : bool
        All policies, ports or peers of a switch have one value.
    multiple_of : str
        Field of which the value is a whole multiple.
    written : bool
        A value that the inventory sets has no effect.
    without : mapping of str to str
        Texts that a value must not contain, with their names.
    pattern : str
        Regular expression of the whole value.
    longest, most : int
        Largest number of characters, or of items.
    always : bool
        Holds for every switch of the system.
    when : tuple of str
        Circumstances, all of which are met.
    severity : str
        Instead of that of the rule.
    message, fix : str
        Instead of the texts that the comparison has by itself.
    """

    fields: tuple[str, ...] = ()
    range: tuple[int, int] | None = None
    reserved: tuple[int, int] | None = None
    step: int | None = None
    values: tuple[int | str | bool, ...] = ()
    excluded: tuple[int | str | bool, ...] = ()
    equal: bool = False
    per_switch: bool = False
    multiple_of: str = ""
    written: bool = False
    without: dict[str, str] = Field(default_factory=dict)
    pattern: str = ""
    longest: int | None = None
    most: int | None = None
    always: bool = False
    when: tuple[Condition, ...] = ()
    severity: Literal["", "error", "warning", "info"] = ""
    message: str = ""
    fix: str = ""

    @field_validator("message", "fix")
    @classmethod
    def _has_known_words(cls, text: str) -> str:
        unknown = {name for _, name, _, _ in Formatter().parse(text) if name} - WORDS
        if unknown:
            raise ValueError(f"{{{min(unknown)}}} is not a word of a limit; use {sorted(WORDS)}")
        return text

    @model_validator(mode="after")
    def _compares(self) -> Limit:
        if not any(getattr(self, name) not in (None, False, "", (), {}) for name in COMPARISONS):
            raise ValueError(f"a limit needs one of {', '.join(COMPARISONS)}")
        return self

    @cached_property
    def comparisons(self) -> tuple[str, ...]:
        """Which of `COMPARISONS` it has."""
        return tuple(name for name in COMPARISONS if getattr(self, name))

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, ready for the descriptions of all ports of a fabric."""
        return re.compile(self.pattern)


class LimitedRule(DataModel):
    """A rule of ``check`` that consists of limits; its id never changes its meaning."""

    id: str = Field(pattern=r"^[A-Z]{3}\d{3}$")
    title: str = Field(min_length=1)
    why: str = Field(min_length=1)
    source: str = Field(min_length=1)
    severity: Literal["error", "warning", "info"] = "error"
    guards: tuple[str, ...] = ()
    limits: tuple[Limit, ...] = Field(min_length=1)


class MarkingUnit(DataModel):
    """How a system writes a marking threshold.

    Parameters
    ----------
    word : str
        Unit as the system prints it.
    unit_bytes : int or None
        Bytes of one unit; None where it depends on the ASIC (cells) or the queue (percent), or
        where nobody has published it.
    share : bool
        Whether it is a percentage of the buffer of the queue.
    written : bool
        Whether only thresholds that the inventory sets are rendered, and no default.
    source : str
        Where that stands; empty for what holds where a system says nothing.
    """

    word: str
    unit_bytes: int | None = None
    share: bool = False
    written: bool = False
    source: str = ""


class SystemFeatures(DataModel):
    """What one system can do."""

    system: str
    marking_unit: MarkingUnit = MarkingUnit(word="bytes", unit_bytes=1)
    features: dict[str, FeatureCell] = Field(default_factory=dict)
    rules: tuple[LimitedRule, ...] = ()

    def taken_from(self, sku: Sku, role: str = "") -> dict[str, str]:
        """Return the fields that a switch model takes from another field, with that one."""
        limits = (limit for rule in self.rules for limit in rule.limits)
        return {
            limit.fields[0]: limit.fields[-1]
            for limit in limits
            if limit.equal and limit.includes(sku, role)
        }

    def ignoring(self, field: str, sku: Sku, role: str = "") -> str:
        """Return the id of the rule that a switch model does not get a field; empty if it does."""
        pairs = ((rule.id, limit) for rule in self.rules for limit in rule.limits)
        return next(
            (
                rule
                for rule, limit in pairs
                if limit.written and field in limit.fields and limit.includes(sku, role)
            ),
            "",
        )

    def only_value(self, field: str, sku: Sku, role: str = "") -> object:
        """Return the one value that a switch model accepts for a field, or None."""
        limits = (limit for rule in self.rules for limit in rule.limits)
        return next(
            (
                limit.values[0]
                for limit in limits
                if field in limit.fields and len(limit.values) == 1 and limit.includes(sku, role)
            ),
            None,
        )


def numbers(release: str) -> list[int]:
    """Return the numbers of a release, such as 9.3(6) or 21.3R1, for comparison."""
    return [int(number) for number in re.findall(r"\d+", release)]


@cache
def declared() -> Mapping[str, SystemFeatures]:
    """Return what each system declares, by its name.

    Raises
    ------
    InputError
        When a file cannot be used; names the file, the line and the field.
    """
    files = [read_toml(file, SystemFeatures) for file in package_files(FILE)]
    return {one.system: one for one in sorted(files, key=lambda one: one.system)}


def features_of(system: str) -> SystemFeatures:
    """Return what a system declares; nothing where its package has no file."""
    return declared().get(system) or SystemFeatures(system=system)


def feature(system: str, name: str, sku: Sku | None = None, role: str = "") -> FeatureCell | None:
    """Return a feature of a system, or None where the system or the model has none."""
    cell = features_of(system).features.get(name)
    has_it = cell and not cell.absent
    fits = (
        cell
        and has_it
        and (sku is None or (cell.includes(sku, role) and not cell.is_newer(sku.release)))
    )
    return (cell.of(sku, role) if sku else cell) if cell and fits else None


def is_rendered(name: str, sku: Sku) -> bool:
    """Tell whether a switch model gets the values that an inventory has for a feature."""
    cell = feature(sku.nos, name, sku)
    return cell is not None and cell.rendered


def marking_unit(system: str) -> MarkingUnit:
    """Return the unit in which a system writes marking thresholds."""
    return features_of(system).marking_unit

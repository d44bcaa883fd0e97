"""Model errors in plain words: exact messages, and no word of pydantic in any of them."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    RootModel,
    Tag,
    ValidationError,
    conint,
    constr,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from fabric.core.errors import InputError
from fabric.core.hostlist import expand
from fabric.intent.explain_errors import explain
from fabric.intent.host_model import HostsFile
from fabric.intent.yaml.file import Document, parse_yaml
from tests.cases import each

CASES = sorted((Path(__file__).parents[1] / "errors").glob("*.yaml"))


class Sample(BaseModel):
    """Base of the sample models: strict and closed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _known_range(text: str) -> str:
    expand(text)
    return text


def _network(value: object) -> object:
    return IPv4Network(value) if isinstance(value, str) and value.endswith(".0/8") else value


def _no_repeats(values: list[int]) -> list[int]:
    if len(set(values)) != len(values):
        message = "a priority is listed twice"
        raise ValueError(message)
    return values


Network = Annotated[IPv4Network, BeforeValidator(_network)]
Priority = Annotated[int, Field(ge=0, le=7)]


class Unit(Sample):
    name: str
    hosts: Annotated[str, AfterValidator(_known_range)]


class Lossless(Sample):
    pfc_priorities: Annotated[
        list[Priority], Field(min_length=1, max_length=3), AfterValidator(_no_repeats)
    ] = [3]
    trust: Literal["dscp", "pcp"] = "dscp"
    share: Annotated[float, Field(gt=0, lt=1)] = 0.5


class Optic(Sample):
    kind: Literal["optic"]
    fibre: Literal["os2", "om4"]
    cable_m: int = 1


class Copper(Sample):
    kind: Literal["copper"]
    gauge_awg: int = 26


class Spines(Sample):
    count: int


class Pool(Sample):
    ranges: list[str] = []


class Watch(Sample):
    interval_ms: int = 100
    action: Literal["drop", "forward", "none"] = "drop"

    @model_validator(mode="after")
    def _useful(self) -> Watch:
        if self.action == "none":
            message = "a watchdog without action does nothing; choose drop or forward"
            raise ValueError(message)
        return self


def _link_kind(value: object) -> str:
    return "lax" if isinstance(value, dict) and "port" in value else "plain"


class Lab(RootModel[dict[str, Watch]]):
    pass


class Demo(Sample):
    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    units: list[Unit]
    design: Literal["rail-optimised", "classic", "three-tier"] = "classic"
    speed_gbps: Literal[100, 200, 400] = 400
    mtu_bytes: Annotated[int, Field(ge=1280, le=9216)] = 9000
    steps: Annotated[int, Field(multiple_of=4)] = 4
    pfc: bool = True
    ratio: Annotated[float, Field(ge=0, le=1)] = 1.0
    rails: list[Annotated[int, Field(ge=0, lt=8)]] = []
    lossless: Lossless | None = None
    links: list[Annotated[Optic | Copper, Field(discriminator="kind")]] = []
    asn: int | Literal["auto", "none"] = "auto"
    asns: list[Annotated[int, Field(ge=1)] | Literal["auto"]] = []
    spines: Spines | int = 2
    loose: list[int] | bool | None = None
    pools: dict[str, Network] = {}
    pools_by_name: dict[str, Pool] = {}
    ports: dict[
        Annotated[str, Field(pattern=r"^\S+$")], Annotated[str, Field(pattern=r"^[a-z]+[0-9/]+$")]
    ] = {}
    port_rows: list[Annotated[tuple[str, int], Field(strict=False)]] = []
    loopback: IPv4Address | None = None
    vtep: Annotated[IPv4Address, Field(strict=False)] | None = None
    note: Annotated[str, Field(min_length=1, max_length=40)] = "x"
    watch: Watch = Watch()
    lab: Lab = Lab({})

    @model_validator(mode="after")
    def _distinct(self) -> Demo:
        if len({unit.name for unit in self.units}) != len(self.units):
            message = "two units have the same name"
            raise ValueError(message)
        return self


def messages(raw: bytes, file: str, model: type[BaseModel] = Demo) -> list[str]:
    try:
        document = parse_yaml(raw, file)
    except InputError as error:
        return [str(finding) for finding in error.findings]
    return [str(finding) for finding in findings_of(document, model)]


def findings_of(document: Document, model: type[BaseModel]) -> list[Any]:
    try:
        model.model_validate(document.data)
    except ValidationError as error:
        return explain(error, document, model, ("fabric",))
    return []


@each("case", CASES)
def test_exact_messages(case: Path, *, update_golden: bool) -> None:
    got = "".join(f"{line}\n" for line in messages(case.read_bytes(), case.name))
    golden = case.with_suffix(".txt")
    if update_golden:
        golden.write_text(got, encoding="utf-8")
    assert got
    assert got == golden.read_text(encoding="utf-8")


def test_every_case_has_its_file_and_every_rule_a_case() -> None:
    goldens = {path.stem for path in CASES[0].parent.glob("*.txt")}
    assert goldens == {path.stem for path in CASES}
    text = "".join(path.with_suffix(".txt").read_text(encoding="utf-8") for path in CASES)
    of_files = {"INT008", "INT011", "INT018"}  # need more than one file's text: tested elsewhere
    assert set(re.findall(r"INT\d{3}", text)) == {f"INT{n:03d}" for n in range(1, 18)} - of_files


@each("case", CASES)
def test_each_message_is_one_printable_line_without_jargon(case: Path) -> None:
    for line in messages(case.read_bytes(), case.name):
        assert line.isprintable()
        assert not re.search(r"https?://|[Ii]nput|pydantic|[Dd]ictionary|valid string", line)
        assert re.fullmatch(rf"{case.name}:\d+:\d+: .+[^.; ] \[INT\d{{3}}\]", line)


KINDS: list[tuple[Any, list[Any]]] = [
    (int, ["x", "7", 1.5, True, None, [], {}]),
    (str, [1, 1.5, True, None, [], {}]),
    (bool, ["true", 1, 0.5, None, [], {}]),
    (float, ["x", True, None, [], {}]),
    (Literal["a", "b"], ["c", 1, None, [], {}]),
    (Literal[1, 2], ["1", 3, 1.5, []]),
    (list[int], [1, "x", None, {}, ["x"], [None]]),
    (Annotated[list[int], Field(min_length=1, max_length=2)], [[], [1, 2, 3]]),
    (dict[str, int], [1, "x", [], None, {1: 1}, {"a": "b"}]),
    (Annotated[dict[str, int], Field(min_length=1)], [{}]),
    (tuple[int, str], [1, "x", {}, None, [1, "a"]]),
    (Annotated[tuple[int, str], Field(strict=False)], [[], [1], [1, "a", 2], ["a", 1]]),
    (Annotated[tuple[int, ...], Field(strict=False)], ["x", ["a"]]),
    (IPv4Network, ["10.0.0.1/8", "x", 1.5, None, [], {}]),
    (Annotated[IPv4Network, Field(strict=False)], ["10.0.0.1/8", "x", 1.5, None, [], {}]),
    (Annotated[IPv4Address, Field(strict=False)], ["10.0.0.256", "x", 1.5, None]),
    (constr(min_length=2, max_length=3, pattern="^a"), ["a", "aaaa", "bb", "", 1]),
    (conint(gt=0, lt=9, multiple_of=2), [0, 9, 3, "x"]),
    (conint(ge=0, le=9), [-1, 10]),
    (Unit, [1, "x", [], None, {}, {"nme": "a"}, {1: 2}]),
    (int | str, [1.5, None, [], {}, True]),
    (list[int] | Unit, [1, ["x"], {"name": "a"}, None]),
]


@each(("kind", "value"), [(kind, value) for kind, values in KINDS for value in values])
def test_no_error_type_of_strict_models_speaks_pydantic(kind: Any, value: object) -> None:
    model = create_model("Model", __base__=Sample, field=(kind, ...))
    document = parse_yaml(b"field: 1\n", "f.yaml")
    document.data["field"] = value
    result = findings_of(document, model)
    assert result
    for finding in result:
        assert not re.search(
            r"[Ii]nput should|valid|https?:|instance|dictionary|integer|tuple", finding.message
        )
        assert finding.rule in {"INT002", "INT012", "INT013", "INT014", "INT015", "INT016"}
        assert finding.fix
        assert finding.position is not None


def test_an_unknown_error_type_keeps_its_message() -> None:
    def refuse(_: object) -> None:
        kind = "odd"
        raise PydanticCustomError(kind, "This is odd.")

    model = create_model("Model", field=(Annotated[int, AfterValidator(refuse)], ...))
    assert messages(b"field: 1\n", "f.yaml", model) == [
        "f.yaml:1:8: fabric.field: this is odd [INT017]"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"field: [x]\n", ["f.yaml:1:9: fabric.field[0]: "]),
        (b"field: []\n", ["f.yaml:1:1: fabric.field: the list "]),
    ],
)
def test_a_list_of_wrong_items_is_not_called_too_short(text: bytes, expected: list[str]) -> None:
    """Pydantic counts only the items that are right."""
    numbers = Annotated[tuple[int, ...], Field(min_length=1, strict=False)]
    model = create_model("Model", __base__=Sample, field=(numbers, ...))
    result = messages(text, "f.yaml", model)
    assert len(result) == len(expected)
    assert all(one.startswith(start) for one, start in zip(result, expected, strict=True))


def test_location_passes_root_models_callable_tags_and_data_that_a_validator_made() -> None:
    class Lax(Sample):
        port: str

    class Plain(Sample):
        lax: Lax | None = None
        count: int = 0

    link = Annotated[
        Annotated[Lax, Tag("lax")] | Annotated[Plain, Tag("plain")], Discriminator(_link_kind)
    ]
    shorthand = Annotated[
        Plain, BeforeValidator(lambda v: {"count": v} if isinstance(v, str) else v)
    ]
    model = create_model(
        "Model", __base__=Sample, lab=(Lab, ...), link=(link, ...), s=(shorthand, ...)
    )
    raw = b"lab:\n  a: {interval_mss: 1}\nlink:\n  lax: {prt: x}\ns: many\n"
    assert messages(raw, "f.yaml", model) == [
        (
            "f.yaml:2:7: fabric.lab.a.interval_mss: unknown field;"
            " did you mean 'interval_ms'? [INT002]"
        ),
        "f.yaml:4:9: fabric.link.lax.prt: unknown field; did you mean 'port'? [INT002]",
        (
            "f.yaml:5:4: fabric.s.count: expected a whole number, found text 'many';"
            " use a whole number [INT013]"
        ),
    ]


def test_tag_that_is_also_a_key_does_not_mislead() -> None:
    class Rail(Sample):
        kind: Literal["rail"]
        rail: int

    class Other(Sample):
        kind: Literal["other"]

    link = Annotated[Rail | Other, Field(discriminator="kind")]
    model = create_model("Model", __base__=Sample, link=(link, ...))
    assert messages(b"link:\n  kind: rail\n  rail: x\n", "f.yaml", model) == [
        (
            "f.yaml:3:9: fabric.link.rail: expected a whole number, found text 'x';"
            " use a whole number [INT013]"
        )
    ]


def test_a_text_where_fields_belong_names_those_that_are_needed() -> None:
    class CageForTest(Sample):
        cages: str
        mode: str
        note: str = ""

    model = create_model("Model", __base__=Sample, splits=(list[CageForTest], ...))
    assert messages(b"splits: [2x400G]\n", "f.yaml", model) == [
        (
            "f.yaml:1:10: fabric.splits[0]: expected a mapping, found text '2x400G';"
            " write {cages: ..., mode: ...}, or lines 'key: value' below it [INT013]"
        )
    ]


#: Content of a file of hosts -> what each unknown field of it may be meant to be.
ELSEWHERE = {
    "a name of several": ("traits: {rdma_devices: 'mlx5_[1-8]'}", "hosts[].nics[].rdma_device"),
    "a field of a NIC": ("rdma_device: mlx5_1", "hosts[].nics[].rdma_device"),
    "a field of the policy": ("kmin_bytes: 5", "hosts[].lossless.ecn.kmin_bytes"),
    "a field of no host": ("soak_s: 5", ""),
}


@each("name", ELSEWHERE)
def test_a_field_in_a_list_of_the_file_is_named(name: str) -> None:
    text, place = ELSEWHERE[name]
    raw = f"hosts:\n  - names: gpu001\n    {text}\n".encode()
    (message,) = messages(raw, "h.yaml", HostsFile)
    assert (f"unknown field in this place; did you mean '{place}'?" in message) is bool(place)

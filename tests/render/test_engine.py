"""The sandbox: strict, data stays data, errors say where."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from fabric.core.errors import RenderError
from fabric.render import engine


@dataclass
class Thing:
    """Something with an attribute and a method."""

    name: str = "x"

    def run(self) -> str:
        """Return a word."""
        return "ran"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a template folder of our own."""
    templates = tmp_path / "templates"
    templates.mkdir()
    (tmp_path / "secret.j2").write_text("secret", encoding="utf-8")
    monkeypatch.setattr(engine, "template_folder", lambda: templates)
    monkeypatch.setattr(engine, "environment", engine.environment.__wrapped__)
    return templates


def _render(folder: Path, text: str, **values: object) -> str:
    (folder / "test.j2").write_text(text, encoding="utf-8")
    return engine.render("test.j2", "leaf1", values)


@pytest.mark.fault(20)
def test_values_are_not_templates(folder: Path) -> None:
    """An expression in a value is printed as it stands."""
    assert _render(folder, "{{ a }}", a="{{ 7*7 }} {% raw %}") == "{{ 7*7 }} {% raw %}"


@pytest.mark.parametrize("value", ["a\nshutdown", "a\rb", "a\x1b[0m", "a\u2028b", "\x00"])
@pytest.mark.fault(20)
def test_a_value_of_more_than_a_line_is_refused(folder: Path, value: str) -> None:
    """A line break in a value cannot become a line of configuration."""
    with pytest.raises(RenderError, match=r"leaf1: templates/test\.j2:2: .*control character"):
        _render(folder, "x\n{{ a }}", a=value)


class _Lines:
    """A value that is no text, and prints more than a line."""

    def __str__(self) -> str:
        return "a\nshutdown"


def test_the_text_of_any_value_is_judged(folder: Path) -> None:
    """A value of another type is judged by what it prints, in a macro too."""
    assert _render(folder, "{{ a }}{{ b }}{{ c }}", a=1, b=True, c=(2, "x")) == "1True(2, 'x')"
    for text in ("{{ a }}", "{% macro m(x) %}{{ x }}{% endmacro %}{{ m(a) }}"):
        with pytest.raises(RenderError, match="control character"):
            _render(folder, text, a=_Lines())


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a\nb\n{{ missing }}", r"test\.j2:3: 'missing' is undefined"),
        ("{{ thing.nothing }}", r"test\.j2:1: .*no attribute 'nothing'"),
        ("{{ table.name }}", r"test\.j2:1: 'dict' object has no attribute 'name'"),
        ("\n{{ thing.nothing.name }}", r"test\.j2:2: .*no attribute 'nothing'"),
        ("\n{{ missing.name }}", r"test\.j2:2: 'missing' is undefined"),
        ("\n{{ none }}", r"test\.j2:2: .*missing"),
        ("\n\n{% if %}", r"test\.j2:3: "),
        ("{{ 5 // 0 }}", r"test\.j2:1: "),
        ("{{ [1] | json }}", r"test\.j2:1: .*neither text nor a whole number"),
        ("{{ true | json }}", r"test\.j2:1: .*neither text nor a whole number"),
        ("{{ 5 | seconds(2) }}", r"test\.j2:1: 5 ms cannot be written"),
        ("{% include 'none.j2' %}", r"none\.j2"),
        ("{% include '../secret.j2' %}", r"secret\.j2"),
        ("{% include '/etc/passwd' %}", r"passwd"),
        ("{{ thing.__class__ }}", r"unsafe|undefined|access"),
        ("{{ thing.run.__globals__ }}", r"unsafe|undefined|access"),
        ("{{ ''.__class__.__mro__ }}", r"unsafe|undefined|access"),
        ("{{ items.append(1) }}", r"'append' is unsafe"),
        ("{{ thing.run.func_code }}", r"'func_code' is unsafe"),
        ("{{ 'x'.format(thing) }}", r"'format' is unsafe"),
        ("{% set x = thing %}\n{{ x.__class__ }}", r"test\.j2:2: .*unsafe"),
        ("{{ ''|attr('__class__') }}", r"No filter named 'attr'"),
        ("{{ ''['__class__'] }}", r"unsafe|undefined|access"),
        ("{{ ([thing]|map(attribute='__class__')|first).x }}", r"unsafe|undefined|access"),
    ],
)
def test_failures_name_device_template_and_line(folder: Path, text: str, complaint: str) -> None:
    """What a template must not do, or does wrongly, is a RenderError that says where."""
    with pytest.raises(RenderError, match=complaint) as caught:
        _render(folder, text, thing=Thing(), none=None, items=[], table={"name": 1})
    assert str(caught.value).startswith("leaf1: ")


def test_names_are_judged_one_by_one(folder: Path) -> None:
    """A safe attribute says nothing about an unsafe one beside it."""
    assert _render(folder, "{{ thing.name }}{{ thing.name }}", thing=Thing()) == "xx"
    with pytest.raises(RenderError):
        _render(folder, "{{ thing.name }}{{ thing.__dict__ }}", thing=Thing())


def test_attributes_of_every_form(folder: Path) -> None:
    """Numbers, words of Python, loops and namespaces are read as in any template."""
    text = (
        "{% set n = namespace(total=0) %}{% for i in [1, 2] %}{% set n.total = n.total + i %}"
        "{{ loop.index }}{{ i.real }}{% endfor %} {{ n.total }} {{ 5.0.is_integer() }}"
        " {{ words.class }}"
    )
    words = type("Words", (), {"class": "spine"})()
    assert _render(folder, text, words=words) == "1122 3 True spine"


def test_values_hide_names_of_the_environment(folder: Path) -> None:
    """A value comes before a function of the same name, and only in its own template."""
    assert _render(folder, "{{ range }}", range=5) == "5"
    assert _render(folder, "{{ range(3) | words }}") == "0 1 2"


def test_filters(folder: Path) -> None:
    """Each filter prints its fixed form."""
    text = (
        '{{ "a\\"b" | json }} {{ 7 | json }} {{ 200 | seconds(2) }} {{ 200 | seconds(3) }} '
        "{{ [1, 2] | comma }} {{ [1, 2] | words }} {{ [5, 6] | row }}"
    )
    assert _render(folder, text) == '"a\\"b" "7" 0.20 0.200 1,2 1 2 "0": "5", "1": "6"'


def test_json_escapes_line_breaks(folder: Path) -> None:
    """Inside JSON a line break is data."""
    assert _render(folder, "{{ a | json }}", a='x\n"y') == '"x\\n\\"y"'


def test_the_folder_is_that_of_the_project() -> None:
    """The templates are found without a working directory."""
    assert (engine.template_folder() / "sonic" / "ports.j2").is_file()
    assert engine.environment() is engine.environment()

"""docs/judge.md lists every limit with its default and reason, as the code has it."""

from __future__ import annotations

from pathlib import Path

from fabric.health.settings import NAMES, WHY, Settings

PAGE = Path(__file__).parents[2] / "docs" / "judge.md"
_BEGIN, _END = "<!-- limits -->\n", "<!-- end of limits -->\n"


def limits() -> str:
    """Return the table of all limits."""
    rows = "".join(
        f"| `{name}` | {getattr(Settings(), name):g} | {MEANING[name]} | {WHY[name]} |\n"
        for name in NAMES
    )
    return f"| limit | default | meaning | why this default |\n|---|---|---|---|\n{rows}"


def _meanings() -> dict[str, str]:
    """Return what the docstring of the settings says of each limit."""
    lines = (Settings.__doc__ or "").splitlines()
    meanings, name = {}, ""
    for line in lines:
        if line.strip().endswith(": float"):
            name = line.split(":")[0].strip()
            meanings[name] = ""
        elif name and line.strip():
            meanings[name] = f"{meanings[name]} {line.strip()}".strip()
    return {name: text.rstrip(".").replace("\n", " ") for name, text in meanings.items()}


MEANING = _meanings()


def test_every_limit_is_listed(update_golden: bool) -> None:
    assert MEANING.keys() == WHY.keys() == set(NAMES)
    before, _, rest = PAGE.read_text().partition(_BEGIN)
    listed, _, after = rest.partition(_END)
    if update_golden:
        PAGE.write_text(before + _BEGIN + limits() + _END + after)
        return
    assert listed == limits(), "run pytest with --update-golden and read the diff"

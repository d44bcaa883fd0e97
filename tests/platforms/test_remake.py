"""The data files of switch models are those that their tool writes."""

from __future__ import annotations

from tests.platforms.remake.__main__ import files


def test_what_needs_no_repository() -> None:
    """Models that are printed by hand in the tool are in their files word for word."""
    made = dict(files(None, None, None))
    assert len(made) >= 5
    for path, text in made.items():
        assert path.read_text(encoding="utf-8") == text, path

"""The reference data: outputs, configurations and schemas of vendors, outside of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

#: Where the data is; it is no part of the project.
SHARED = Path(os.environ.get("ROCEFAB_REFERENCE", Path(__file__).parents[2] / "shared"))


def reference(*parts: str) -> Path:
    """Return a file or folder of the reference data; skip the test where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"there is no {path}; set ROCEFAB_REFERENCE to the reference data")
    return path

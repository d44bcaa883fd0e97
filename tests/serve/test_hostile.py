"""Hostile requests end in answers, and never in a 500 or a closed connection."""

from __future__ import annotations

import pytest

from tests.serve.hostile import request, run
from tests.serve.servers import served

COUNT = 1500


@pytest.mark.parametrize("is_valid", [False, True], ids=["hostile", "valid"])
def test_each_is_answered(tmp_path, is_valid: bool) -> None:
    with served(tmp_path) as client:
        codes = run(client.base_url.port, range(COUNT), is_valid=is_valid)
        assert client.get("/readyz").status_code == 200
    assert codes.total() == COUNT
    expected = {200, 201, 202, 204, 404, 409, 422}
    assert expected <= set(codes) if is_valid else expected | {400, 405, 415} <= set(codes)


def test_each_has_a_number() -> None:
    assert request(7) == request(7)
    assert len({request(number) for number in range(100)}) > 80

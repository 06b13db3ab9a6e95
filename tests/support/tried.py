# SPDX-License-Identifier: Apache-2.0
"""Reports the platform and the store of a test, for the table of tried combinations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

PROPERTY = "tried"


def report(items: list[pytest.Item]) -> None:
    """Adds the arguments of the marker `tried` to the test's properties in the JUnit report."""
    for item in items:
        for mark in item.iter_markers(PROPERTY):
            platform, store = mark.args
            item.user_properties.append((PROPERTY, f"{platform}: {store}"))

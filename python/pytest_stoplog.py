# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin: one fixture.

pytest imports this module in every run of an environment that has the package, whatever is tested there. So
it lies outside of the package, and imports the package when a test asks for the fixture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from stoplog.testing import PipelineFactory


@pytest.fixture
def stoplog_pipeline(tmp_path: Path) -> PipelineFactory:
    """Makes pipelines of functions: `pipeline = stoplog_pipeline(build)`."""
    from stoplog.testing import PipelineFactory

    return PipelineFactory(tmp_path)

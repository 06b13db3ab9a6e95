# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin: one fixture. It imports no Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoplog.testing.factory import PipelineFactory


@pytest.fixture
def stoplog_pipeline(tmp_path: Path) -> PipelineFactory:
    """Makes pipelines of functions: `pipeline = stoplog_pipeline(build)`."""
    return PipelineFactory(tmp_path)

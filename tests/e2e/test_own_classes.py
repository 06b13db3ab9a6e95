# SPDX-License-Identifier: Apache-2.0
"""The template for classes of one's own, built and used as its page says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import stoplog
from support.finished import content, files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "beyond-files" / "own-classes.md"


@pytest.mark.long
def test_the_template_is_built_and_used_as_documented(spark: SparkSession, tmp_path: Path) -> None:
    (commands,) = re.findall(r"^```bash\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    shutil.copytree(ROOT / "examples" / "own-classes", tmp_path / "examples" / "own-classes")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    built = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    spark.sql(f"ADD JAR '{tmp_path}/own-classes.jar'")
    pairs = spark.sql("VALUES ('ant', '6'), ('asp', '0'), ('bat', '2') AS pairs(key, value)").coalesce(1)
    sink = (
        stoplog.FileSink.for_row_format(
            str(tmp_path / "out"), stoplog.Encoder.custom("own.PairsEncoder", {"separator": ";"})
        )
        .with_bucket_assigner(stoplog.BucketAssigner.custom("own.ByInitial", {"column": "key"}))
        .with_rolling_policy(stoplog.RollingPolicy.custom("own.RollByRows", {"rows": 1}))
        .build()
    )
    sink.write(pairs)
    written = files(tmp_path / "out")
    assert sorted(content(file).decode() for file in written) == ["ant;6\n", "asp;0\n", "bat;2\n"]
    assert len({file.parent for file in written}) == 2

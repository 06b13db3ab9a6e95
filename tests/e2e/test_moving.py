# SPDX-License-Identifier: Apache-2.0
"""What docs/getting-started/moving.md says of Spark's own file sink: its two queries write the same rows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import stoplog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "getting-started" / "moving.md").read_text(
    encoding="utf-8"
)


def test_the_query_before_and_the_query_after_write_the_same_rows(
    spark: SparkSession, tmp_path: Path
) -> None:
    incoming = tmp_path / "incoming"
    incoming.mkdir()
    (incoming / "rows.txt").write_text("".join(f"row {number}\n" for number in range(100)))
    rows = spark.readStream.text(str(incoming))
    before, after = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

    def run(example: str) -> Any:
        at_home = re.sub(r'"/(data|cp)/', rf'"{tmp_path}/\1/', example)
        query: Any = eval(at_home, {"rows": rows})
        query.processAllAvailable()
        query.stop()
        return query

    run(before)
    assert stoplog.await_finished(run(after), timeout=300).in_time
    parts = spark.read.format("stoplog").option("view", "parts").load(str(tmp_path / "data" / "events-2"))
    assert parts.selectExpr("sum(records)").head() == (100,)
    assert spark.read.parquet(str(tmp_path / "data" / "events")).count() == 100


def test_the_directories_of_flink_need_a_single_argument() -> None:
    (example,) = re.findall(r"```py\n(.*?)```", PAGE, re.DOTALL)
    assigner: stoplog.BucketAssigner = eval(example, {"stoplog": stoplog})
    assert assigner.options()["bucketFormat"] == "yyyy-MM-dd--HH"


def test_the_options_named_by_the_page_exist() -> None:
    docs = Path(__file__).resolve().parents[2] / "docs"
    known = {
        name
        for page in ("reference/options.md", "reference/source-options.md")
        for name in re.findall(r"^\| `(\w+)` \|", (docs / page).read_text(encoding="utf-8"), re.MULTILINE)
    }
    named = set(re.findall(r"`(max\w+|rollover\w+|compact\w+|partitionBy|inProgress)\b", PAGE))
    of_spark_alone = {"maxRecordsPerFile", "maxFileAge", "maxCachedFiles", "maxColumns", "maxCharsPerColumn"}
    assert named - of_spark_alone <= known

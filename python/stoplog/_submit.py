# SPDX-License-Identifier: Apache-2.0
"""What Spark's own configuration already says about jars, outside of a builder."""

from __future__ import annotations

import os
import re
import shlex
from itertools import pairwise
from pathlib import Path

SUBMIT_ARGS = "PYSPARK_SUBMIT_ARGS"
"""The environment variable by which a Python process gives arguments to spark-submit."""

_DEFAULT = re.compile(r"\s*(?P<key>[^\s=:#!][^\s=:]*)\s*[=:\s]\s*(?P<value>.*?)\s*")


def submit_jars() -> str | None:
    """The `--jars` of `PYSPARK_SUBMIT_ARGS`, or `None`."""
    arguments = shlex.split(os.environ.get(SUBMIT_ARGS, ""))
    # Of several, spark-submit takes the last.
    found = [value for flag, value in pairwise(arguments) if flag == "--jars"]
    joined = [each.removeprefix("--jars=") for each in arguments if each.startswith("--jars=")]
    return next(reversed(found + joined), None)


def default_jars() -> str:
    """The `spark.jars` of `spark-defaults.conf`, which a builder's own would silently replace."""
    file = _conf_directory() / "spark-defaults.conf"
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    return properties(text).get("spark.jars", "")


def properties(text: str) -> dict[str, str]:
    r"""The settings in the text of a `spark-defaults.conf`.

    >>> properties("# x y\nspark.jars  a.jar,b.jar\nspark.master=local")
    {'spark.jars': 'a.jar,b.jar', 'spark.master': 'local'}
    """
    matches = (_DEFAULT.fullmatch(line) for line in text.splitlines())
    return {match["key"]: match["value"] for match in matches if match}


def _conf_directory() -> Path:
    from pyspark.find_spark_home import _find_spark_home

    return Path(os.environ.get("SPARK_CONF_DIR") or Path(_find_spark_home()) / "conf")

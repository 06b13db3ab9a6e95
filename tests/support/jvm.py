# SPDX-License-Identifier: Apache-2.0
"""How the tests' JVMs are started: quick to begin, since most of them live for seconds."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from servers.class_data import ClassData
from servers.starting import CLASS_DATA
from stoplog.testing._process import QUICK_JVM

_SUBMIT = "SPARK_SUBMIT_OPTS"
_LAUNCHER = "SPARK_LAUNCHER_OPTS"
_QUICK = f"{QUICK_JVM} -XX:-UsePerfData"
_TRAINING = Path(__file__).resolve().parent.parent / "jobs" / "class_data_job.py"
_SPARK = importlib.util.find_spec("pyspark")  # without importing it
assert _SPARK is not None
assert _SPARK.origin is not None
_JARS = sorted((Path(_SPARK.origin).parent / "jars").glob("*.jar"))

# An ordinary run starts each server once or twice, which does not pay for its archive.
_OF_SERVERS = {CLASS_DATA: "1"} if os.environ.get("STOPLOG_LONG") == "1" else {}

SPARK = ClassData.of("spark", _QUICK, _JARS)
_LAUNCHER_DATA = ClassData.of("launcher", _QUICK, _JARS)

EXECUTOR = f"{_QUICK} {SPARK.options}"
"""For `spark.executor.extraJavaOptions`: executors of a cluster inherit no options from the environment."""


def prepare() -> None:
    """Gives each Spark that starts from now on below this process the options, whichever process starts it.

    Makes the archives of its classes first where they are missing. Servers make theirs as they start, in a
    long run.
    """
    with SPARK.missing() as spark, _LAUNCHER_DATA.missing() as launcher:
        if spark or launcher:
            print("Archiving the classes of Spark for this and later runs ...", file=sys.stderr, flush=True)
            python = {"PYSPARK_PYTHON": sys.executable}
            writing = _environment(spark or SPARK.options, launcher or _LAUNCHER_DATA.options)
            subprocess.run([sys.executable, _TRAINING], env=os.environ | writing | python, check=True)
    os.environ.update(_environment(SPARK.options, _LAUNCHER_DATA.options) | _OF_SERVERS)


def _environment(spark: str, launcher: str) -> dict[str, str]:
    return {
        name: _with(os.environ.get(name, ""), f"{_QUICK} {data}")
        for name, data in ((_SUBMIT, spark), (_LAUNCHER, launcher))
    }


def _with(options: str, more: str) -> str:
    """A worker of pytest-xdist has inherited them."""
    return options if more in options else f"{options} {more}".strip()

# SPDX-License-Identifier: Apache-2.0
"""Writes an archive for support: the facts, the findings, settings and versions, without secrets."""

from __future__ import annotations

import json
import os
import platform
import re
import sys
import zipfile
from collections.abc import Iterator, Mapping
from importlib.metadata import distributions
from pathlib import Path

from stoplog._doctor.environment import Absent, Environment
from stoplog._text import redaction

# Settings outside of these families, such as keys of storage accounts, appear with their names only.
_SHOWN = re.compile(
    r"spark\.(master$|jars$|jars\.(packages|excludes|repositories)$|submit\.(deployMode|pyFiles)$|"
    r"driver\.(memory|cores|extraClassPath)|executor\.(memory|cores|instances)|"
    r"local\.dir$|speculation|task\.|sql\.(adaptive|ansi|autoBroadcast|avro|broadcast|caseSensitive|execution|"
    r"extensions|files|hive\.metastore\.version|legacy|maven|optimizer|orc|parquet|session|shuffle|sources|"
    r"storeAssignment|streaming|warehouse|ui)|streaming|datasource\.stoplog|"
    r"hadoop\.fs\.s3a\.(endpoint|path\.style|multipart|connection|fast\.upload|committer|impl))"
)
# The names of secret options count without the prefix of the format.
_OF_FORMAT = re.compile(r"^spark\.datasource\.stoplog[\w-]*\.")
_VARIABLES = re.compile(
    r"(JAVA_HOME|SPARK_HOME|SPARK_CONF_DIR|SPARK_LOCAL_DIRS|SPARK_REMOTE|PYSPARK_(DRIVER_)?PYTHON|HADOOP_HOME|"
    r"HADOOP_CONF_DIR|STOPLOG_JAR|LANG|LC_ALL|LC_CTYPE|TZ|TMPDIR|PYTHONPATH|VIRTUAL_ENV|CONDA_PREFIX)"
)


def write_bundle(file: Path, environment: Environment, diagnosis: Mapping[str, str]) -> None:
    """Writes the archive.

    Args:
        file: the path of the archive; an existing file is replaced.
        environment: the facts.
        diagnosis: further texts, by the names of their files in the archive.
    """
    texts = {**diagnosis, **dict(_texts(environment))}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            # The value of a variable may contain bytes that are not UTF-8.
            archive.writestr(name, redaction.text(text).encode("utf-8", "backslashreplace"))


def shown(settings: Mapping[str, str]) -> dict[str, str]:
    """Returns settings without secrets; of settings that may contain a secret, only the names.

    >>> shown({"spark.sql.ansi.enabled": "false", "spark.hadoop.fs.azure.account.key.me": "hunter2"})
    {'spark.hadoop.fs.azure.account.key.me': '…', 'spark.sql.ansi.enabled': 'false'}
    """
    return {
        key: redaction.value(_OF_FORMAT.sub("", key), text) if _SHOWN.match(key) else redaction.HIDDEN
        for key, text in sorted(settings.items())
    }


def _texts(environment: Environment) -> Iterator[tuple[str, str]]:
    yield "settings.json", _json(shown(environment.use.settings))
    variables = {key: value for key, value in os.environ.items() if _VARIABLES.fullmatch(key)}
    yield (
        "environment-variables.json",
        _json({key: redaction.value(key, variables[key]) for key in variables}),
    )
    packages = sorted({f"{each.metadata['Name']}=={each.version}" for each in distributions()}, key=str.lower)
    yield "packages.txt", "\n".join(packages) + "\n"
    yield "system.txt", f"{platform.platform()}\nPython {sys.version}\n"
    if not isinstance(environment.spark, Absent):
        jars = sorted(file.name for file in (Path(environment.spark.home) / "jars").glob("*.jar"))
        yield "jars.txt", "\n".join(jars) + "\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"

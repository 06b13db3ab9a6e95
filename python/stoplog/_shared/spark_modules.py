# SPDX-License-Identifier: Apache-2.0
"""Modules of Spark that are not part of its distribution, with published versions.

Maven has no module for some patch releases of Spark. `project/Versions.scala` has the same versions of the
modules for Kafka, and a test compares them.
"""

from __future__ import annotations

from collections.abc import Mapping

PUBLISHED: Mapping[str, Mapping[str, str]] = {
    "spark-sql-kafka-0-10": {"4.0": "4.0.4", "4.1": "4.1.3", "4.2": "4.2.0"},
    "spark-token-provider-kafka-0-10": {"4.0": "4.0.0", "4.1": "4.1.1", "4.2": "4.2.0"},
    "spark-avro": {"4.0": "4.0.2", "4.1": "4.1.1", "4.2": "4.2.0"},
}
"""By module and by line of Spark: the newest version that is known to be published."""

KAFKA = "spark-sql-kafka-0-10"
"""The module for Kafka."""


def newest_line(module: str) -> str:
    """Returns the newest line of Spark for which a module is published.

    >>> newest_line("spark-sql-kafka-0-10") in PUBLISHED["spark-sql-kafka-0-10"]
    True
    """
    return max(PUBLISHED[module], key=lambda line: tuple(map(int, line.split("."))))

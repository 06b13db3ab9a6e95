# SPDX-License-Identifier: Apache-2.0
"""The settings of the job. Environment variables override them."""

from __future__ import annotations

import os

import pyspark

NAME = "PROJECT_NAME"
BROKERS = os.environ.get("BROKERS", "localhost:9092")
TOPIC = os.environ.get("TOPIC", "events")
OUTPUT = os.environ.get("OUTPUT", "output")
CHECKPOINT = os.environ.get("CHECKPOINT", "checkpoint")
INTERVAL = os.environ.get("INTERVAL", "1 minute")
# The newest published versions of Spark's module for Kafka, by the line of Spark.
KAFKA_MODULES = {"LINE_OF_SPARK": "VERSION_OF_KAFKA_MODULE"}
LINE = ".".join(pyspark.__version__.split(".")[:2])
# Spark downloads these jars at its first start.
PACKAGES = os.environ.get(
    "SPARK_PACKAGES",
    f"org.apache.spark:spark-sql-kafka-0-10_2.13:{KAFKA_MODULES.get(LINE, pyspark.__version__)}",
)

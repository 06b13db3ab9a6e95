# SPDX-License-Identifier: Apache-2.0
"""Reads orders from files of JSON, and writes them to a sink of your own, each order exactly once."""

from __future__ import annotations

import order_files
import settings
from pyspark import cloudpickle
from pyspark.sql import SparkSession

import stoplog

SCHEMA = "id LONG, item STRING, amount DOUBLE"

# Executors do not have the module, so the module travels with the query.
cloudpickle.register_pickle_by_value(order_files)


def build(spark, source, output):
    """Returns the writer of the query, before its start; the crash test calls it with other directories."""
    orders = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(source)
    return order_files.OrderFiles(output).write_stream(shaped(orders))


def shaped(orders):
    """The work of the job: keep orders with an id and an amount."""
    return orders.where("id IS NOT NULL AND amount > 0")


def main():
    spark = stoplog.configure(SparkSession.builder.appName(settings.NAME)).getOrCreate()
    writer = build(spark, settings.INPUT, settings.OUTPUT)
    query = writer.option("checkpointLocation", settings.CHECKPOINT).trigger(availableNow=True).start()
    query.awaitTermination()
    spark.read.schema(SCHEMA).json(settings.OUTPUT).orderBy("id").show()


if __name__ == "__main__":
    main()

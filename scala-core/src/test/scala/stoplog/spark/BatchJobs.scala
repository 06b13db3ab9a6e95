// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.{SaveMode, SparkSession}

import stoplog.laws.StorageUnderTest

/** What the suites of all storages do with Spark, and how they look at the outcome. */
trait BatchJobs {
  protected def spark: SparkSession

  /** A batch job of one row. */
  protected def job(row: String, path: String, mode: SaveMode): Unit =
    spark
      .sql(s"SELECT '$row' AS value")
      .write
      .format("stoplog")
      .option("format", "text")
      .option("bucketAssigner", "basePath")
      .mode(mode)
      .save(path)

  /** Of all visible files, in alphabetical order. */
  protected def lines(storage: StorageUnderTest): Seq[String] =
    storage.visible().toSeq.flatMap(file => new String(storage.bytes(file), UTF_8).linesIterator).sorted
}

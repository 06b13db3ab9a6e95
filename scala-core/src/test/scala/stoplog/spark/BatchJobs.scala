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

  /** Overwrites of one day, by each way to say which; the other day stays. */
  protected def overwriteDays(path: String, storage: StorageUnderTest): Unit = {
    def day(name: String, row: String, options: (String, String)*) = spark
      .sql(s"SELECT '$row' AS value, '$name' AS day")
      .write
      .format("stoplog")
      .option("format", "text")
      .option("partitionBy", "day")
      .options(options.toMap)
    def read = lines(storage).filter(_.startsWith("day ")).toSet
    day("a", "day a").mode(SaveMode.Append).save(path)
    day("b", "day b").mode(SaveMode.Append).save(path)
    day("b", "day b again", "replaceWhere" -> "day = 'b'").mode(SaveMode.Overwrite).save(path)
    assert(read == Set("day a", "day b again"), read)
    day("a", "day a again", "partitionOverwriteMode" -> "dynamic").mode(SaveMode.Overwrite).save(path)
    assert(read == Set("day a again", "day b again"), read)
    spark
      .sql("SELECT '' AS value, '' AS day WHERE false")
      .write
      .format("stoplog")
      .option("format", "text")
      .option("partitionBy", "day")
      .option("replaceWhere", "day >= 'b'")
      .mode(SaveMode.Overwrite)
      .save(path)
    assert(read == Set("day a again"), read)
  }

  /** Of all visible files, in alphabetical order. */
  protected def lines(storage: StorageUnderTest): Seq[String] =
    storage.visible().toSeq.flatMap(file => new String(storage.bytes(file), UTF_8).linesIterator).sorted
}

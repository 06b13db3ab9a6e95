// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}

import org.apache.spark.sql.Row
import org.scalatest.Suite

import stoplog.format.SparkSessionForTests

/** A database of Spark's session catalog for a suite, which goes with its tables at the end. */
trait SessionDatabase extends SparkSessionForTests { this: Suite =>
  protected def databaseName: String

  protected lazy val directory: Path = Files.createTempDirectory("stoplog-tables")

  protected lazy val database: String = {
    spark.sql(s"CREATE DATABASE $databaseName LOCATION '${directory.resolve("managed")}'")
    databaseName
  }

  override protected def afterAll(): Unit = {
    spark.sql(s"DROP DATABASE IF EXISTS $databaseName CASCADE")
    super.afterAll()
  }

  protected def rows(table: String): Seq[Row] =
    spark.sql(s"SELECT * FROM $table").collect().toSeq.sortBy(_.toString)
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.filesink.RecordedColumns
import stoplog.options.SinkOptions

class RecordedColumnsSuite extends AnyFunSuite {
  private val options =
    SinkOptions.parse(Map("path" -> "/out", "format" -> "csv", "partitionBy" -> "a").asJava)

  test("a recorded column that is a partition column now leaves the files") {
    assert(continued("A INT, x INT", now = "x INT") === Seq("x"))
  }

  test("with case-sensitive names, another case of a partition column is another column") {
    val conf = new SQLConf
    conf.setConfString("spark.sql.caseSensitive", "true")
    SQLConf.withExistingConf(conf) {
      assert(continued("A INT, x INT", now = "A INT, x INT") === Seq("A", "x"))
      assert(continued("A INT, x INT", now = "x INT") === Seq("A", "x"))
    }
  }

  private def continued(before: String, now: String): Seq[String] = RecordedColumns
    .continued(options, StructType.fromDDL(before), StructType.fromDDL(now))
    .fieldNames
    .toSeq
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.filesink.RecordedSettings
import stoplog.options.SinkOptions

/** A log of a sink lies beside the data, and whoever may read those reads it. */
class RecordedSecretsSuite extends AnyFunSuite {

  test("a secret option is not recorded, and a different secret changes the recorded content") {
    for (
      key <- Seq(
        "parquet.encryption.key.access.token",
        "parquet.encryption.key.list",
        "parquet.own.secret"
      )
    ) {
      val contents = Seq("hunter2", "hunter3", "hunter2").map(secret => content(key -> secret))
      assert(!contents.exists(_.contains("hunter")), contents)
      assert(contents.head == contents(2) && contents.head != contents(1))
      assert(contents.head.contains(s"$key=…#"))
    }
    val place = content("parquet.encryption.kms.instance.url" -> "https://u:hunter2@kms/x")
    assert(!place.contains("hunter2") && place.contains("https://…@kms/x#"))
  }

  test("options that are not secret are recorded unchanged, so open parts of older releases resume") {
    assert(content("parquet.block.size" -> "1048576").contains("; parquet.block.size=1048576; "))
    assert(
      content("parquet.encryption.column.keys" -> "k:id").contains("parquet.encryption.column.keys=k:id")
    )
  }

  test("toString hides secret options") {
    val shown =
      options("parquet.own.secret" -> "hunter2", "parquet.encryption.key.list" -> "k:hunter2").toString
    assert(!shown.contains("hunter2") && shown.contains("format=parquet"))
  }

  private def content(more: (String, String)): String =
    RecordedSettings.content(options(more), new StructType().add("id", "int"), promised = "")

  private def options(more: (String, String)*): SinkOptions =
    SinkOptions.parse(Map("path" -> "s3a://AKID:hunter2@bucket/out", "format" -> "parquet") ++ more)
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.Row
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException
import stoplog.format.orc.OrcParts.{reader, saved}
import stoplog.format.bulk.RandomTables.internal
import stoplog.storage.hadoop.HadoopDefaults

/** What options and a session's settings make of the files, and what is refused. */
class OrcOptionsSuite extends AnyFunSuite {

  private val schema = StructType.fromDDL("id BIGINT, name STRING")
  private val blocks =
    (0 until 9000).map(i => Row(i.toLong, s"name ${i % 4500}")).grouped(3000).map(internal(schema, _)).toSeq

  for ((codec, suffix) <- Seq("none" -> ".orc", "snappy" -> ".snappy.orc", "zstd" -> ".zstd.orc"))
    test(s"the codec $codec sets the file suffix and the compression") {
      val format = OrcParts.format(schema, "compression" -> codec)
      assert(format.suffix === suffix)
      assert(OrcBulk.of(format.describe).suffix === suffix)
      assert(file(format).getCompressionKind.name.toLowerCase === codec)
    }

  test("the codec is read from compression, then orc.compress, then the session") {
    val session = new SQLConf
    session.setConfString("spark.sql.orc.compression.codec", "lz4")
    def codec(options: (String, String)*): String =
      file(OrcBulk(schema, options.toMap, session, HadoopDefaults.configuration())).getCompressionKind.name
    assert(codec() === "LZ4")
    assert(codec("orc.compress" -> "zlib") === "ZLIB")
    assert(codec("orc.compress" -> "zlib", "compression" -> "none") === "NONE")
  }

  test("a recorded description cannot set encryption or key providers") {
    val orc    = Map("orc.compress" -> "ZSTD")
    val forged = orc + ("orc.encrypt" -> "key:name") + ("hadoop.security.key.provider.path" -> "elsewhere")
    assert(OrcSettings.of(OrcSettings(schema, forged, batchRows = 1024, Map.empty).describe).orc === orc)
  }

  test("ORC settings come from Hadoop, session and options, in increasing precedence") {
    val hadoop = HadoopDefaults.configuration()
    hadoop.set("orc.row.index.stride", "2000")
    val session = new SQLConf
    assert(file(OrcBulk(schema, Map.empty, session, hadoop)).getRowIndexStride === 2000)
    session.setConfString("orc.row.index.stride", "3000")
    assert(file(OrcBulk(schema, Map.empty, session, hadoop)).getRowIndexStride === 3000)
    assert(
      file(OrcBulk(schema, Map("orc.row.index.stride" -> "4000"), session, hadoop)).getRowIndexStride === 4000
    )
  }

  test("user metadata is stored alongside Spark's metadata") {
    val orc = file(OrcParts.format(schema, "metadata.origin" -> "a€", "METADATA.Empty" -> ""))
    assert(orc.getMetadataKeys.asScala.toSet === Set("origin", "Empty", "org.apache.spark.version"))
    assert(UTF_8.decode(orc.getMetadataValue("origin")).toString === "a€")
  }

  test("each stripe has a bloom filter") {
    val bytes = OrcParts.file(OrcParts.format(schema, "orc.bloom.filter.columns" -> "name"), schema, blocks)
    for ((filters, rows) <- BloomFilters.of(saved(bytes), column = 2).zip(blocks)) {
      assert(filters.size === 1)
      assert(rows.forall(row => filters.head.testString(row.getString(1))))
      assert((0 until 1000).count(i => filters.head.testString(s"other $i")) < 50)
    }
  }

  test("orc.dictionary.key.threshold disables dictionaries") {
    val few                                    = (0 until 4000).map(i => Row(i.toLong, s"name ${i % 10}"))
    def bytes(options: (String, String)*): Int =
      OrcParts
        .file(
          OrcParts.format(schema, options :+ ("compression" -> "none"): _*),
          schema,
          Seq(internal(schema, few))
        )
        .length
    assert(bytes("orc.dictionary.key.threshold" -> "0") > bytes() + 20000)
  }

  test("a stripe ends at the configured number of rows") {
    val option = "orc.stripe.row.count" -> "2048"
    val ours   = reader(saved(OrcParts.filled(schema, blocks.flatten.iterator, option)))
    val theirs = reader(OrcParts.sparks(schema, blocks.flatten.iterator, option))
    assert(theirs.getStripes.size === 5)
    assert(ours.getStripes.size === 5)
  }

  test("the driver rejects a name, at any depth, that Spark's readers of ORC do not find") {
    for (ddl <- Seq("`a``b` INT", "a ARRAY<STRUCT<`b``c`: INT>>", "a MAP<INT, STRUCT<`b``c`: INT>>")) {
      val error = refused(StructType.fromDDL(ddl))
      assert(error.getCondition === "STOPLOG_UNSUPPORTED_COLUMN")
      assert(error.getMessage.contains("backtick"))
    }
    OrcParts.filled(StructType.fromDDL("`a.b c` INT"), Iterator.empty)
  }

  test("the driver rejects types and options that ORC cannot write") {
    assert(refused(StructType.fromDDL("a VARIANT")).getCondition === "STOPLOG_UNSUPPORTED_COLUMN")
    assert(refused(StructType.fromDDL("a STRUCT<b: INTERVAL>")).getCondition === "STOPLOG_UNSUPPORTED_COLUMN")
    for (keys <- Seq("DATE", "STRUCT<id: INT, day: DATE>", "ARRAY<DATE>")) {
      val error = refused(StructType.fromDDL(s"a ARRAY<MAP<$keys, INT>>"))
      assert(error.getCondition === "STOPLOG_UNSUPPORTED_COLUMN")
    }
    for (
      (key, value) <- Seq(
        "compression"                 -> "gzip",
        "orc.row.index.stride"        -> "10",
        "orc.stripe.size"             -> "64m",
        "orc.encrypt"                 -> "pii:name",
        "metadata.org.apache.spark.x" -> "1"
      )
    ) {
      val error = refused(schema, key -> value)
      assert(error.getCondition === "STOPLOG_INVALID_OPTIONS", key)
    }
  }

  test("rejects a description of another format or version") {
    for (
      text <- Seq("", "no JSON", """{"format":"parquet","version":1}""", """{"format":"orc","version":9}""")
    )
      assert(
        intercept[IllegalArgumentException](OrcBulk.of(text)).getMessage
          .contains("does not describe a format")
      )
  }

  test("rejects columns other than the format's schema") {
    val format = OrcParts.format(schema)
    intercept[IllegalArgumentException](format.open(StructType.fromDDL("id BIGINT")))
    format.open(StructType(schema.map(_.copy(nullable = false))))
  }

  private def refused(schema: StructType, options: (String, String)*): StoplogArgumentException =
    intercept[StoplogArgumentException](OrcParts.format(schema, options: _*))

  private def file(format: OrcBulk): org.apache.orc.Reader = reader(
    saved(OrcParts.file(format, schema, blocks))
  )
}

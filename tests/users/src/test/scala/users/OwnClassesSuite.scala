// SPDX-License-Identifier: Apache-2.0
package users

import java.io.ByteArrayOutputStream

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import stoplog.{FileSink, FileSource}
import stoplog.error.StoplogArgumentException
import stoplog.part.BlockOutput

/** The template of `examples/own-classes`, compiled against the packed jar as a Python user does, named with parameters. */
class OwnClassesSuite extends AnyFunSuite {
  private val sink = Map(
    "path"                  -> "/data/out",
    "format"                -> "own.PairsEncoder",
    "format.separator"      -> ";",
    "bucketAssigner"        -> "own.ByInitial",
    "bucketAssigner.column" -> "key",
    "rollingPolicy"         -> "own.RollByRows"
  )

  test("its classes are made with their parameters") {
    assert(FileSink.fromOptions((sink + ("rollingPolicy.rows" -> "5000")).asJava).options().get("format.separator") === ";")
    val source = FileSource
      .forRecordStreamFormat("own.PairsFormat", "/data/eu", "/data/us")
      .withOption("format.separator", ";")
      .withFileEnumerator("own.ManifestFinder")
      .withOption("fileEnumerator.list", "_list")
      .build()
    assert(source.options().get("paths") === """["/data/eu","/data/us"]""")
  }

  test("its Parquet writer writes a part that begins and ends as Parquet does") {
    val bytes = new ByteArrayOutputStream
    val out   = new BlockOutput {
      override def position: Long         = bytes.size.toLong
      override def write(byte: Int): Unit = bytes.write(byte)
    }
    val writer = new own.OwnParquet(Map("bloomFilter" -> "value").asJava).create(out)
    writer.write(InternalRow(UTF8String.fromString("ant"), UTF8String.fromString("6 legs")))
    writer.finish()
    writer.close()
    val text = bytes.toString("ISO-8859-1")
    assert(text.startsWith("PAR1") && text.endsWith("PAR1"))
    assert(text.contains("6 legs"))
  }

  test("a parameter that its constructor refuses is told when the sink is built") {
    val error = intercept[StoplogArgumentException](FileSink.fromOptions((sink + ("rollingPolicy.rows" -> "many")).asJava))
    assert(error.getMessage.contains("own.RollByRows"))
    assert(error.getMessage.contains("many"))
  }
}

// SPDX-License-Identifier: Apache-2.0
package users

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import stoplog.{FileSink, FileSource}
import stoplog.error.StoplogArgumentException

/** The template of `examples/own-classes`, compiled against the packed jar as a Python user does, named with parameters. */
class OwnClassesSuite extends AnyFunSuite {
  private val sink = Map(
    "path"                  -> "/data/out",
    "encoder"               -> "own.PairsEncoder",
    "encoder.separator"     -> ";",
    "bucketAssigner"        -> "own.ByInitial",
    "bucketAssigner.column" -> "key",
    "rollingPolicy"         -> "own.RollByRows"
  )

  test("its classes are made with their parameters") {
    assert(FileSink.fromOptions((sink + ("rollingPolicy.rows" -> "5000")).asJava).options().get("encoder.separator") === ";")
    val source = FileSource
      .forRecordStreamFormat("own.PairsFormat", "/data/eu", "/data/us")
      .withOption("format.separator", ";")
      .withFileEnumerator("own.ManifestFinder")
      .withOption("fileEnumerator.list", "_list")
      .build()
    assert(source.options().get("paths") === """["/data/eu","/data/us"]""")
  }

  test("a parameter that its constructor refuses is told when the sink is built") {
    val error = intercept[StoplogArgumentException](FileSink.fromOptions((sink + ("rollingPolicy.rows" -> "many")).asJava))
    assert(error.getMessage.contains("own.RollByRows"))
    assert(error.getMessage.contains("many"))
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException

class ViewOptionsSuite extends AnyFunSuite {

  private def parse(options: (String, String)*): Option[ViewOptions] = ViewOptions.parse(options.toMap.asJava)

  private def condition(options: (String, String)*): String =
    intercept[StoplogArgumentException](parse(options: _*)).getCondition

  test("options without a view parse to no view") {
    assert(parse("path" -> "/data/out") === None)
  }

  test("a view accepts the options of its writer") {
    val asked = parse("PATH" -> "/data/out", "view" -> "Open", "sinkId" -> "a", "maxPartSize" -> "1m")
    assert(asked === Some(ViewOptions("/data/out", "a", View.Open)))
    assert(parse("path" -> "p", "view" -> "epochs") === Some(ViewOptions("p", "main", View.Epochs)))
  }

  test("invalid view options are reported by name") {
    assert(condition("path" -> "p", "view" -> "files") === "STOPLOG_INVALID_OPTIONS")
    assert(condition("view" -> "parts") === "STOPLOG_PATH_MISSING")
    assert(condition("path" -> "p", "view" -> "parts", "sinkId" -> "../x") === "STOPLOG_INVALID_OPTIONS")
  }
}

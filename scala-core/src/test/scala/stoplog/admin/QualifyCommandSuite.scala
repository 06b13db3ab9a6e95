// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import java.io.{ByteArrayOutputStream, PrintStream}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.qualify.{Safety, StoreVerdict, TriedPromise}
import stoplog.thread.Clock

/** The answer of `qualify`, and the lines of progress that precede an answer. */
class QualifyCommandSuite extends AnyFunSuite {

  test("an answer has the verdict with its reasons and settings") {
    val safe = answer(Safety.Safe)
    assert(safe.get("verdict").asText === "safe")
    assert(safe.get("promises").get(0).get("violation") === null)
    val settings = answer(Safety.SafeWith(Vector("a=b: because")))
    assert(settings.get("verdict").asText === "safe with settings")
    assert(texts(settings, "settings") === Seq("a=b: because"))
    val unsafe =
      answer(Safety.Unsafe(Vector("It broke.")), Some("two winners"), Some("/data/_stoplog/doctor-1"))
    assert(unsafe.get("verdict").asText === "unsafe")
    assert(texts(unsafe, "reasons") === Seq("It broke."))
    assert(unsafe.get("promises").get(0).get("violation").asText === "two winners")
    assert(unsafe.get("left").asText === "/data/_stoplog/doctor-1")
  }

  test("progress has at most two lines a second, each a JSON object") {
    val out   = new ByteArrayOutputStream()
    var now   = 0L
    val clock = new Clock {
      override def millis(): Long        = now
      override def elapsedMillis(): Long = now
    }
    val lines = new ProgressLines(new PrintStream(out), clock)
    (0 to 1000 by 100).foreach { millis =>
      now = millis.toLong
      lines.to(millis, 2000)
    }
    val done = out.toString.linesIterator.map(line => read(line).get("progress").get("done").asInt)
    assert(done.toSeq === Seq(0, 500, 1000))
  }

  private def answer(
      safety: Safety,
      violation: Option[String] = None,
      left: Option[String] = None
  ): JsonNode =
    read(
      QualifyCommand.json(
        StoreVerdict(
          "/data",
          safety,
          Vector(TriedPromise("create", "one", 3, violation)),
          Vector("Tried."),
          4,
          left
        )
      )
    )

  private def texts(node: JsonNode, field: String): Seq[String] =
    node.get(field).elements.asScala.map(_.asText).toSeq

  private def read(json: String): JsonNode = new ObjectMapper().readTree(json)
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import java.util.Locale

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.scalatest.funsuite.AnyFunSuite

import stoplog.docs.Repository
import stoplog.storage.Digits

/** The names of files in a log that Scala and Python have to tell apart alike: `golden/verdicts/log.json`. */
class LogNamesSuite extends AnyFunSuite {
  private val golden = {
    val file = Repository.root.resolve("scala-core/src/test/resources/golden/verdicts/log.json")
    new ObjectMapper().readTree(Repository.read(file)).elements.asScala.toVector
  }

  private def all(kind: String): Vector[String] =
    golden.filter(_.get("is").asText == kind).map(_.get("name").asText)

  test("exactly the names of records are listed as records") {
    val others = golden.map(_.get("name").asText).diff(all("record"))
    all("record").foreach(name => assert(new RecordNames().listed(Seq(name)) === Vector(5L), name))
    assert(new RecordNames().listed(others) === Vector.empty)
    assert(all("record").contains(RecordNames.name(5)))
  }

  test("names have ASCII digits in a locale with other digits") {
    val before = Locale.getDefault(Locale.Category.FORMAT)
    val names  =
      try {
        Locale.setDefault(Locale.Category.FORMAT, Locale.forLanguageTag("fa-IR"))
        assert(String.format("%d", 5) !== "5")
        Seq(RecordNames.name(5), RecordNames.note(5, 12), Digits.of(-1))
      } finally Locale.setDefault(Locale.Category.FORMAT, before)
    val five = "00000000000000000005"
    assert(names === Seq(s"$five.commit", s"$five.visible-12", "-0000000000000000001"))
  }

  test("notes of a record are found with the record") {
    assert(all("note") === Vector(0, 1, 12).map(RecordNames.note(5, _)))
    val names = new RecordNames
    names.listed(golden.map(_.get("name").asText))
    assert(names.notes(5) === all("note"))
  }
}

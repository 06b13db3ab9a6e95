// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.scalatest.funsuite.AnyFunSuite

class SuggestionSuite extends AnyFunSuite {

  private val known = SinkOptionRegistry.all.map(_.key)

  test("a slip, a swap and another case find the name") {
    assert(Suggestion.of("maxPartSzie", known) === Some("maxPartSize"))
    assert(Suggestion.of("SINK_ID", known) === Some("sinkId"))
    assert(Suggestion.of("maxRecordsPerFile", known) === Some("maxRecordsPerPart"))
  }

  test("a shortened name finds the whole one") {
    assert(Suggestion.of("partSize", known) === Some("maxPartSize"))
  }

  test("a name that is like no other finds none") {
    assert(Suggestion.of("kafka.bootstrap.servers", known) === None)
    assert(Suggestion.of("x", known) === None)
  }
}

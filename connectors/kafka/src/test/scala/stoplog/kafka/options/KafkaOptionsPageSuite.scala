// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.options

import org.scalatest.funsuite.AnyFunSuite

import stoplog.docs.Repository

class KafkaOptionsPageSuite extends AnyFunSuite {

  test(s"docs/${KafkaOptionsPage.name} is current") {
    val page = Repository.root.resolve("docs").resolve(KafkaOptionsPage.name)
    assert(Repository.read(page) === KafkaOptionsPage.text)
  }

  test("every option has a row, and every cell is one cell") {
    for (o <- KafkaSinkOptionRegistry.all) assert(KafkaOptionsPage.text.contains(s"\n| `${o.key}` |"), o.key)
    for (row <- KafkaOptionsPage.text.linesIterator.filter(_.startsWith("|")))
      assert(row.replace("\\|", "").count(_ == '|') === 7, row)
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import org.scalatest.funsuite.AnyFunSuite

/** What docs/getting-started/rolling.md says of policies is what they do. */
class RollingPageSuite extends AnyFunSuite {
  private lazy val page = Repository.read(Repository.root.resolve("docs/getting-started/rolling.md"))

  for (outcome <- PoliciesPicture.outcomes)
    test(s"the page shows the files of ${outcome.policy}") {
      val row =
        page.linesIterator.find(_.startsWith(s"| ${outcome.policy}")).map(_.split('|').map(_.trim)).get
      val shown =
        BigDecimal(outcome.largestMegabytes).setScale(if (outcome.largestMegabytes < 1) 1 else 0, HalfUp)
      assert(row(2) === outcome.bars.size.toString)
      assert(row(3) === s"$shown MB")
    }

  private def HalfUp = BigDecimal.RoundingMode.HALF_UP
}

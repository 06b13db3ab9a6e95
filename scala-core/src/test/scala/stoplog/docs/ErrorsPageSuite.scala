// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import org.scalatest.funsuite.AnyFunSuite

class ErrorsPageSuite extends AnyFunSuite {

  test("the core and all connectors have at most 105 conditions") {
    assert(ErrorsPage.ofJars.distinct === ErrorsPage.ofJars)
    assert(ErrorsPage.ofJars.size <= 105, "merge conditions whose way out is the same")
  }

  test("each condition names its three most likely causes") {
    for ((condition, causes) <- ErrorsPage.likelyCauses)
      assert(causes.size === 3 && causes.distinct === causes, condition)
  }
}

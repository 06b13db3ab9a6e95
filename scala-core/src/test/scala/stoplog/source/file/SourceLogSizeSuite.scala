// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import org.scalatest.funsuite.AnyFunSuite

/** The number of files in a source's log. */
class SourceLogSizeSuite extends AnyFunSuite {

  test("the log keeps what can be planned again, and no more") {
    val world = new SourceWorld
    for (n <- 1 to 600) {
      world.files.put(s"f$n", s"$n\n", n.toLong)
      assert(world.batch() === Seq(n.toString))
    }
    assert(
      world.state.files.keys.count(_.endsWith(".splits")) < 250,
      "those since the files were written down"
    )
    assert(world.state.files.keys.count(_.endsWith(".seen")) === 1)
    world.restart()
    assert(world.batch() === Seq.empty)
  }

  test("runs of one micro-batch each leave no more in the log than one long run does") {
    val world = new SourceWorld
    for (n <- 1 to 600) {
      world.files.put(s"f$n", s"$n\n", n.toLong)
      world.restart()
      assert(world.batch() === Seq(n.toString))
    }
    assert(world.state.files.keys.count(_.endsWith(".splits")) < 250)
  }
}

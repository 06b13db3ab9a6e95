// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun

/** The number of files in a source's log. */
class SourceLogSizeSuite extends AnyFunSuite {

  test("the log keeps only records that can be planned again") {
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

  test("short runs keep the log as small as a long run", LongRun.Only) {
    val world = new SourceWorld
    for (n <- 1 to 600) {
      world.files.put(s"f$n", s"$n\n", n.toLong)
      world.restart()
      assert(world.batch() === Seq(n.toString))
    }
    assert(world.state.files.keys.count(_.endsWith(".splits")) < 250)
  }
}

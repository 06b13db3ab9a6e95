// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class KeyTicksSuite extends AnyFunSuite {

  test("later rows of a key have later ticks") {
    val random = new Random(7)
    val ticks  = new KeyTicks
    val rows   = Seq.fill(50000)(random.nextInt(20000))
    val ticked = rows.map(key => key -> ticks.next(key.hashCode))
    for ((_, ofKey) <- ticked.groupBy(_._1)) assert(ofKey.map(_._2) === ofKey.map(_._2).sorted.distinct)
    assert(ticks.most === ticked.map(_._2).max)
  }

  test("the rows of one key have the ticks 0, 1, 2, whatever other keys come between them") {
    val ticks = new KeyTicks
    assert((1 to 3).map { _ => ticks.next(2); ticks.next(1) } === Seq(0, 1, 2))
    assert(ticks.most === 2)
  }

  // A million keys share 65,536 slots: 15 earlier rows on average.
  test("keys that follow each other share their slots evenly, and random ones nearly so") {
    val inRow = new KeyTicks
    for (key <- 0 until 1000000) inRow.next(key)
    assert(inRow.most >= 15 && inRow.most <= 17)
    val random   = new Random(7)
    val anywhere = new KeyTicks
    for (_ <- 0 until 1000000) anywhere.next(random.nextInt())
    assert(anywhere.most >= 15 && anywhere.most <= 40)
  }
}

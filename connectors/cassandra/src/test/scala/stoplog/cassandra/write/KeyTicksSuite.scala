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

  test("rows of many keys have few ticks") {
    val ticks = new KeyTicks
    for (key <- 0 until 1000000) ticks.next(key)
    assert(ticks.most < 100)
  }
}

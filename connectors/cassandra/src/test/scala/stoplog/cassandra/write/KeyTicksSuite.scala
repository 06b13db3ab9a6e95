// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.nio.ByteBuffer

import scala.collection.mutable
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun

class KeyTicksSuite extends AnyFunSuite {

  private def hash(values: Array[Byte]*): KeyHash = {
    val made = new KeyHash
    made.clear()
    values.foreach(value => made.add(ByteBuffer.wrap(value)))
    made
  }

  private def hash(key: Int): KeyHash = hash(ByteBuffer.allocate(4).putInt(key).array)

  test("the n-th row of each key has tick n - 1, regardless of other keys", LongRun.Only) {
    val random  = new Random(7)
    val ticks   = new KeyTicks
    val counted = mutable.Map.empty[Int, Int].withDefaultValue(0)
    for (_ <- 0 until 2000000) {
      val key = (random.nextDouble() * random.nextDouble() * 300000).toInt
      assert(ticks.next(hash(key)) === counted(key))
      counted(key) += 1
    }
    assert(ticks.most === counted.values.max - 1)
    assert(ticks.most > 50)
  }

  test("ticks of a key continue over many rows") {
    val ticks = new KeyTicks
    assert((0 until 1000).map { _ => ticks.next(hash(2)); ticks.next(hash(1)) } === (0 until 1000))
    assert(ticks.most === 999)
  }

  test("a million keys of a single row each have tick 0") {
    val ticks = new KeyTicks
    for (key <- 0 until 1000000) assert(ticks.next(hash(key)) === 0)
    assert(ticks.most === 0)
  }

  test("keys beyond the limit have growing ticks and do not change other keys") {
    val ticks = new KeyTicks(mostKeys = 1000)
    for (key <- 0 until 1000) ticks.next(hash(key))
    val beyond = for {
      _   <- 1 to 3
      key <- 1000 until 9000
    } yield key -> ticks.next(hash(key))
    for ((_, of) <- beyond.groupBy(_._1)) assert(of.map(_._2) === of.map(_._2).sorted.distinct)
    for (key <- 0 until 1000) assert(ticks.next(hash(key)) === 1)
  }

  test("the key hash depends on each value separately and on the relevant bytes only") {
    val part = ByteBuffer.wrap("xabx".getBytes, 1, 2)
    val made = new KeyHash
    made.clear()
    made.add(part)
    made.add(ByteBuffer.allocateDirect(1).put('c'.toByte).flip())
    val same = hash("ab".getBytes, "c".getBytes)
    assert(made.first === same.first)
    assert(made.second === same.second)
    assert(part.position() === 1)
    for (
      other <- Seq(hash("a".getBytes, "bc".getBytes), hash("c".getBytes, "ab".getBytes), hash("abc".getBytes))
    ) {
      assert(other.first !== same.first)
      assert(other.second !== same.second)
    }
  }
}

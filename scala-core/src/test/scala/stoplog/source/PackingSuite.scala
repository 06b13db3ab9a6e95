// SPDX-License-Identifier: Apache-2.0
package stoplog.source

import org.scalatest.funsuite.AnyFunSuite

import stoplog.source.file.{Extent, FileSplit, SourceWorld}
import stoplog.storage.SourceFile

/** How splits are shared out among tasks: groups of about the same size. */
class PackingSuite extends AnyFunSuite {
  private val source = new SourceWorld().source
  private val file   = SourceFile("f", 1 << 20, 1)

  private def pack(tasks: Int, sizes: Packing.Sizes, bytes: Long*): Vector[Vector[Long]] =
    Packing
      .pack(bytes.iterator.map(n => FileSplit(file, Extent.Bytes(0, n))), source, tasks, sizes)
      .map(_.map(_.size.bytes))

  private val sizes = Packing.Sizes(openingBytes = 10, leastBytes = 100, mostBytes = 1000)

  private def fours(count: Int) = Seq.fill(count)(90L)

  test("each task gets about an equal share of splits, including the cost of opening") {
    assert(pack(2, sizes, fours(4): _*).map(_.size) === Vector(2, 2))
    assert(pack(4, sizes, fours(4): _*).map(_.size) === Vector(1, 1, 1, 1))
    assert(pack(1, sizes, fours(4): _*).map(_.size) === Vector(4))
    assert(pack(0, sizes, fours(4): _*).map(_.size) === Vector(4), "at least one task")
  }

  test("a share stays between the minimum and maximum size of a task") {
    assert(pack(100, sizes, fours(4): _*).map(_.size) === Vector(1, 1, 1, 1))
    assert(pack(1, sizes, fours(30): _*).map(_.size) === Vector(10, 10, 10))
  }

  test("a split joins the group whose remaining room holds at least half of the split") {
    assert(pack(100, sizes.copy(leastBytes = 150), fours(4): _*).map(_.size) === Vector(2, 2))
    assert(pack(100, sizes.copy(leastBytes = 149), fours(4): _*).map(_.size) === Vector(1, 1, 1, 1))
  }

  test("a split larger than one and a half shares is divided") {
    assert(pack(100, sizes, 150) === Vector(Vector(150)))
    assert(pack(100, sizes, 152) === Vector(Vector(76), Vector(76)))
  }

  test("no splits make no task, and an indivisible split makes a task") {
    assert(pack(4, sizes) === Vector.empty)
    val whole = FileSplit(file, Extent.Records(0, Extent.ToTheEnd))
    assert(Packing.pack(Iterator(whole), source, 100, sizes) === Vector(Vector(whole)))
  }

  test("default task sizes equal Spark's sizes") {
    assert(Packing.Sizes.default === Packing.Sizes(65536, 4194304, 134217728))
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.io.ByteArrayOutputStream

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.Encoder

/** The laws of every row format: a part can be cut at the end of any epoch and continued in another process.
  *
  * {{{
  * class MyEncoderSuite extends EncoderLaws { … }
  * }}}
  */
abstract class EncoderLaws extends AnyFunSuite {

  /** Returns the encoder as a user creates the encoder on the driver. */
  protected def encoder(): Encoder

  /** The columns of the rows. */
  protected def schema: StructType

  /** Returns a test row; rows with different numbers differ. */
  protected def row(number: Int): InternalRow

  /** Decodes the rows of a whole part without the encoder's code. */
  protected def read(part: Array[Byte]): Seq[Any]

  /** Returns the decoded form of a row. */
  protected def seen(number: Int): Any

  /** A row that cannot be written, if such a row exists. */
  protected def unwritable: Option[InternalRow] = None

  private val Rows = 20

  test("a part contains its rows in order") {
    assert(read(encoded(Seq(0 until Rows))) === (0 until Rows).map(seen))
  }

  test("a part without rows is readable") {
    assert(read(encoded(Seq(Nil))) === Nil)
  }

  test("a part that other tasks resume after any row has identical bytes") {
    val whole = encoded(Seq(0 until Rows))
    for (at <- 0 to Rows) assert(encoded(Seq(0 until at, at until Rows)) === whole, s"behind row $at")
  }

  test("a task interleaves many parts without mixing their rows") {
    val shared = open()
    val parts  = Vector.fill(3)(new ByteArrayOutputStream())
    parts.foreach(shared.begin)
    for (number <- 0 until Rows) shared.encode(row(number), parts(number % 3))
    for (part <- 0 until 3) {
      val own = (part until Rows by 3).map(seen)
      assert(read(parts(part).toByteArray) === own)
    }
  }

  test("a repeated task writes identical bytes") {
    assert(encoded(Seq(0 until Rows)) === encoded(Seq(0 until Rows)))
  }

  test("a row that cannot be written leaves the encoder unchanged") {
    for (bad <- unwritable) {
      val (with_, without) = (new ByteArrayOutputStream(), new ByteArrayOutputStream())
      val (hit, spared)    = (open(), open())
      hit.begin(with_)
      spared.begin(without)
      assert(Try(hit.encode(bad, new ByteArrayOutputStream())).isFailure)
      for (number <- 0 until Rows) {
        hit.encode(row(number), with_)
        spared.encode(row(number), without)
      }
      assert(with_.toByteArray === without.toByteArray)
    }
  }

  test("the file suffix is empty or starts with a dot") {
    val suffix = encoder().suffix
    assert(suffix.isEmpty || suffix.matches("\\.[^/]+"))
  }

  /** Encodes a part; a separate task encodes each piece. */
  private def encoded(pieces: Seq[Seq[Int]]): Seq[Byte] = {
    val part = new ByteArrayOutputStream()
    for ((numbers, piece) <- pieces.zipWithIndex) {
      val task = open()
      if (piece == 0) task.begin(part)
      numbers.foreach(number => task.encode(row(number), part))
    }
    part.toByteArray.toSeq
  }

  private def read(part: Seq[Byte]): Seq[Any] = read(part.toArray)

  private def open(): Encoder = {
    val task = Serialized.copyOf(encoder())
    task.open(schema)
    task
  }
}

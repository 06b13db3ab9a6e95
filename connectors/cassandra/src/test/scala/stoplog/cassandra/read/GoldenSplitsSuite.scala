// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.nio.ByteBuffer
import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.docs.Repository

/** What release 0.1.0 wrote of a table's splits into a checkpoint. The files are never edited. */
class GoldenSplitsSuite extends AnyFunSuite {
  import GoldenSplitsSuite._

  test("splits of version 1 are read and written unchanged") {
    val golden = Files.readAllBytes(SplitsFile)
    val in     = new DataInputStream(new ByteArrayInputStream(golden))
    assert(Vector.fill(Splits.size)(CassandraSplits.read(1, in)) === Splits)
    assert(in.available() === 0)
    assert(written(Splits).toSeq === golden.toSeq)
  }

  test("a plan of version 1 resumes at its position, with returned splits first") {
    val golden   = Files.readAllBytes(PlanFile)
    val restored = CassandraEnumerator.restored(golden)
    assert(restored.snapshot(end = 0).toSeq === golden.toSeq)
    val left = Iterator.continually(restored.next()).takeWhile(_.isDefined).flatten.toVector
    assert(left === Plan.pieces.head.split(1) +: Plan.pieces(1).split(0) +: Nil)
  }
}

object GoldenSplitsSuite {
  private val golden: Path = Repository.root.resolve("connectors/cassandra/src/test/resources/golden")
  private val SplitsFile   = golden.resolve("splits-v1.bin")
  private val PlanFile     = golden.resolve("plan-v1.bin")
  private val Plan         = SplitPlan(
    Vector(
      SplitPlan.Piece(TokenSpan(Long.MinValue, 0), 4096, Vector("10.0.0.1:9042", "[::1]:9042"), 2),
      SplitPlan.Piece(TokenSpan(0, Long.MaxValue), 0, Vector.empty, 1)
    )
  )

  private val Splits: Vector[CassandraSplit] = Vector(
    Plan.pieces.head.split(0),
    KeySplit(Vector(Vector(buffer(1, 2), buffer()), Vector(buffer(-1), buffer(0, 0, 7)))),
    Plan.pieces(1).split(0)
  )

  private def buffer(bytes: Int*): ByteBuffer = ByteBuffer.wrap(bytes.map(_.toByte).toArray)

  private def written(splits: Vector[CassandraSplit]): Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    val out   = new DataOutputStream(bytes)
    splits.foreach(CassandraSplits.write(_, out))
    bytes.toByteArray
  }

  /** Writes the files as this version does, for the first time. */
  def main(args: Array[String]): Unit = {
    Files.createDirectories(golden)
    Files.write(SplitsFile, written(Splits))
    val enumerator = CassandraEnumerator.of(Plan)
    enumerator.next()
    enumerator.next().foreach(enumerator.takeBack)
    Files.write(PlanFile, enumerator.snapshot(end = 1))
    ()
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.source._

/** The laws of every source. The suite of a custom source extends this class and provides test rows.
  *
  * @tparam T comparable rows
  */
abstract class SplitSourceLaws[S <: Split, R, T] extends AnyFunSuite {

  /** Returns the source over data that never changes, with at least three splits and some dozens of rows. */
  def source: SplitSource[S, R, T]

  /** Returns a copy of a row that stays valid after the next row is read. */
  def copied(row: T): T = row

  test("a split survives its serializer") {
    for (split <- splits()) assert(travelled(split) === split)
  }

  test("a split returns the same rows each time") {
    for (split <- splits()) assert(rows(split) === rows(travelled(split)))
  }

  test("a reader of several splits returns the rows of single-split readers") {
    assert(rows(splits(): _*) === splits().flatMap(rows(_)))
  }

  test("a divided split returns the same rows") {
    for {
      split <- splits()
      bytes <- Seq(1L, 10L, 1L << 40)
    }
      assert(source.divide(split, bytes).flatMap(rows(_)) === rows(split))
  }

  test("a reader continues at its position after wakeUp") {
    val reader = source.reader()
    reader.add(splits())
    var count = 0
    var over  = false
    var turn  = 0
    while (!over) {
      if (turn % 2 == 0) reader.wakeUp()
      turn += 1
      reader.fetch() match {
        case records: Fetched.Records[S, R] => while (records.advance()) count += 1
        case Fetched.Nothing                => ()
        case Fetched.Finished               => over = true
      }
    }
    reader.close()
    assert(count > 0)
    assert(count === splits().map(recordsOf(_)).sum)
  }

  test("the rest of a split after a record contains the following records") {
    for (split <- splits()) {
      val reader = source.reader()
      reader.add(Seq(split))
      reader.fetch() match {
        case records: Fetched.Records[S, R] =>
          var before = 0
          while (records.advance()) {
            before += 1
            for (rest <- records.rest) assert(recordsOf(travelled(rest)) === recordsOf(split) - before)
          }
        case _ => ()
      }
      reader.close()
    }
  }

  test("an enumerator yields each split once, and returned splits first") {
    val enumerator = open(new MemoryState)
    enumerator.discover()
    val first  = enumerator.next().get
    val second = enumerator.next().get
    enumerator.takeBack(second)
    enumerator.takeBack(first)
    assert(enumerator.next() === Some(first))
    assert(enumerator.next() === Some(second))
    enumerator.close()
  }

  test("restarts after each micro-batch do not change the rows") {
    val all = rows(splits(): _*)
    for (limits <- Seq(ReadLimits.none.copy(splits = Some(1)), ReadLimits.none.copy(bytes = Some(1)))) {
      val state    = new MemoryState
      var position = 0L
      var read     = Vector.empty[T]
      var more     = true
      while (more) {
        val driver = new SourceDriver(source, state)
        val end    = driver.plan(position, limits)
        assert(driver.plan(position, limits) === end, "a micro-batch that is planned again is the same")
        read ++= rows(driver.splits(position, end).toSeq: _*)
        driver.committed(end)
        driver.close()
        more = end > position
        position = end
      }
      assert(read === all)
    }
  }

  private def open(state: MemoryState): SplitEnumerator[S] =
    source.enumerator(EnumeratorContext(None, _ => Iterator.empty, state))

  private def splits(): Vector[S] = SourceDriver.Admission.take(open(new MemoryState), ReadLimits.none)

  private def travelled(split: S): S = {
    val bytes = new ByteArrayOutputStream()
    source.splits.write(split, new DataOutputStream(bytes))
    source.splits.read(
      source.splits.version,
      new DataInputStream(new ByteArrayInputStream(bytes.toByteArray))
    )
  }

  private def rows(splits: S*): Vector[T] = {
    val loop = new ReadLoop(source, splits)
    val all  = Vector.newBuilder[T]
    while (loop.next()) all += copied(loop.row)
    loop.close()
    all.result()
  }

  private def recordsOf(split: S): Int = {
    val reader = source.reader()
    reader.add(Seq(split))
    var count = 0
    var over  = false
    while (!over) reader.fetch() match {
      case records: Fetched.Records[S, R] => while (records.advance()) count += 1
      case Fetched.Nothing                => ()
      case Fetched.Finished               => over = true
    }
    reader.close()
    count
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.source

import scala.collection.mutable

/** The work of a task: reads the assigned splits, and converts their records to rows. */
private[stoplog] final class ReadLoop[S <: Split, R, T](source: SplitSource[S, R, T], splits: Seq[S])
    extends AutoCloseable {
  private val reader                         = source.reader()
  private val emitter                        = source.emitter()
  private var fetched: Fetched.Records[S, R] = _
  private val rows                           = new Rows
  private var over                           = false

  reader.add(splits)

  /** Moves to the next row; false when all splits are read. */
  def next(): Boolean = {
    while (!rows.next() && !over)
      if (fetched != null && fetched.advance()) emitter.emit(fetched.record, rows)
      else fetch()
    rows.isThere
  }

  /** Returns the current row, valid until [[next]]. */
  def row: T = rows.current

  /** Called from another thread: a waiting call returns soon. */
  def wakeUp(): Unit = reader.wakeUp()

  override def close(): Unit = reader.close()

  private def fetch(): Unit = reader.fetch() match {
    case records: Fetched.Records[S, R] => fetched = records
    case Fetched.Nothing                => fetched = null
    case Fetched.Finished               =>
      fetched = null
      over = true
  }

  /** The rows of one record: nearly always one row. */
  private final class Rows extends RowOutput[T] {
    private var first: T = _
    private var state    = Rows.None
    private val more     = mutable.ArrayDeque.empty[T]

    override def put(row: T): Unit =
      if (state == Rows.None) {
        first = row
        state = Rows.Fresh
      } else more += row

    def next(): Boolean = {
      if (state == Rows.Fresh) state = Rows.Current
      else if (more.nonEmpty) first = more.removeHead()
      else state = Rows.None
      isThere
    }

    def isThere: Boolean = state == Rows.Current

    def current: T = first
  }

  private object Rows {
    final val None    = 0
    final val Fresh   = 1
    final val Current = 2
  }
}

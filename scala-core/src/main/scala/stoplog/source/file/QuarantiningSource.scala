// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.collection.mutable
import scala.util.control.NonFatal

import stoplog.source._
import stoplog.source.StateFiles
import stoplog.storage.SourceFiles

/** A source of files that goes on where something cannot be decoded, and notes what it has left out.
  *
  * A record that cannot be decoded is left out alone. Where the way to the next record is lost, in a broken block or a
  * torn compressed file, the rest of the piece is. Either the rows of a record are read, or there is a note.
  *
  * @param place where the notes go
  */
final class QuarantiningSource[R, T](
    source: SplitSource[FileSplit, R, T],
    files: SourceFiles,
    place: StateFiles
) extends SplitSource[FileSplit, HeldRows[T], T] {
  private val quarantine = new Quarantine(place)

  override def describe: String = source.describe

  override def identity: Option[String] = source.identity

  override def splits: VersionedSerializer[FileSplit] = source.splits

  override def enumerator(context: EnumeratorContext[FileSplit]): SplitEnumerator[FileSplit] =
    source.enumerator(context)

  override def reader(): SplitReader[FileSplit, HeldRows[T]] =
    new QuarantiningReader(source, files, quarantine)

  override def emitter(): RecordEmitter[HeldRows[T], T] = (held, out) => held.foreach(out.put)

  /** In pieces of a fixed size, whatever is asked for: the notes of a piece are named by where it begins, and a batch that
    * is repeated on another number of cores must find them.
    */
  override def divide(split: FileSplit, bytes: Long): Seq[FileSplit] =
    source.divide(split, QuarantiningSource.PieceBytes)

  override def metrics: Map[String, String] =
    try {
      val counts = quarantine.counts
      source.metrics ++ Map(
        "quarantinedFiles"   -> counts.files.toString,
        "quarantinedRecords" -> counts.records.toString
      )
    } catch { case NonFatal(_) => source.metrics } // they are not worth a query
}

private[file] object QuarantiningSource {
  final val PieceBytes = 32L << 20
}

/** The rows of one record. */
final class HeldRows[T] extends RowOutput[T] {
  private val rows = mutable.ArrayBuffer.empty[T]

  override def put(row: T): Unit = {
    rows += row
    ()
  }

  private[file] def clear(): Unit = rows.clear()

  private[file] def foreach(action: T => Unit): Unit = rows.foreach(action)
}

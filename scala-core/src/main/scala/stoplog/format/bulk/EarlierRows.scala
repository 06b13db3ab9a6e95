// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.{ByteArrayInputStream, Closeable, EOFException, IOException, InputStream}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import stoplog.error.Errors
import stoplog.part.{RecordBytes, Spooled}
import stoplog.storage.SpoolFiles

/** The rows of a part that earlier epochs left in spool files and in the record. Reads lazily. */
private[bulk] final class EarlierRows(spooled: Spooled, spoolFiles: SpoolFiles) {
  import EarlierRows.Source

  /** Bytes of the rows in memory. */
  val rawBytes: Long = spooled.note.toLong

  /** The format of the part, and the directory of its blocks. */
  lazy val header: SpoolFrames.Header = reading(sources.head) { in =>
    SpoolFrames.read(in) match {
      case Some(SpoolFrames.Head(header)) => header
      case _                              =>
        throw new IOException("it does not begin with the description of the part")
    }
  }

  /** Returns all rows in order. The bytes of each row are checked against `schema` first. A row and its
    * values are valid until the next call. The caller must close the iterator unless all rows are read.
    */
  def rows(schema: StructType): Iterator[UnsafeRow] with Closeable = new Iterator[UnsafeRow] with Closeable {
    private[this] val bounds = new RowBounds(schema)
    private[this] val left   = sources.iterator
    private[this] var now    = Option.empty[(Source, InputStream, Iterator[UnsafeRow])]

    @scala.annotation.tailrec
    override def hasNext: Boolean =
      if (hasNextOfSource) true
      else if (left.hasNext) {
        close()
        val source = left.next()
        val in     = source.open()
        now = Some((source, in, SpoolFrames.rows(in, bounds)))
        hasNext
      } else {
        close()
        false
      }

    // Handles errors in place, like `next`: a function would be called for each row.
    private def hasNextOfSource: Boolean = now match {
      case Some((source, _, rows)) =>
        try rows.hasNext
        catch { case e: IOException => throw unreadable(source, e) }
      case None => false
    }

    override def next(): UnsafeRow = {
      if (!hasNext) throw new NoSuchElementException("there is no further row")
      val (source, _, rows) = now.get
      try rows.next()
      catch { case e: IOException => throw unreadable(source, e) }
    }

    override def close(): Unit = {
      now.foreach(_._2.close())
      now = None
    }
  }

  /** In the order of their rows. */
  private def sources: Vector[Source] =
    spooled.files.map(file => Source(file.token, () => spoolFiles.read(file))) ++
      Option.unless(spooled.inRecord.isEmpty)(Source.inRecord(spooled.inRecord))

  private def reading[A](source: Source)(action: InputStream => A): A = checked(source) {
    val in = source.open()
    try action(in)
    finally in.close()
  }

  private def checked[A](source: Source)(action: => A): A =
    try action
    catch { case e: IOException => throw unreadable(source, e) }

  private def unreadable(source: Source, e: IOException): Throwable = e match {
    case _: EOFException => Errors.storeWrite(source.name, "it ends in the middle", e)
    case _               => Errors.storeWrite(source.name, String.valueOf(e.getMessage), e)
  }
}

private[bulk] object EarlierRows {

  /** A spool file or the rows in a record, with its name for messages. */
  private final case class Source(name: String, open: () => InputStream)

  private object Source {
    def inRecord(rows: RecordBytes): Source =
      Source("the rows of an open part in the log", () => new ByteArrayInputStream(rows.bytes))
  }

  /** The rows that earlier epochs left, followed by the rows of this epoch. A row and its values are valid
    * until the next call.
    */
  final class AndNewer(
      earlier: Option[Iterator[UnsafeRow] with Closeable],
      now: Iterator[UnsafeRow]
  ) extends Iterator[UnsafeRow]
      with Closeable {
    private[this] val all = earlier.fold(now)(_ ++ now)

    override def hasNext: Boolean  = all.hasNext
    override def next(): UnsafeRow = all.next()
    override def close(): Unit     = earlier.foreach(_.close())
  }
}

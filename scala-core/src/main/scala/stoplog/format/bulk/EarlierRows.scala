// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.{Closeable, EOFException, IOException}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import stoplog.error.Errors
import stoplog.part.{SpoolFile, Spooled}
import stoplog.storage.SpoolFiles

/** The rows of a part that earlier epochs left in spool files. Reads nothing before it is asked. */
private[bulk] final class EarlierRows(beside: Spooled, spoolFiles: SpoolFiles) {

  /** Bytes of the rows in memory. */
  val rawBytes: Long = beside.note.toLong

  /** The format of the part, and the directory of its blocks. */
  lazy val header: SpoolFrames.Header = reading(beside.files.head) { in =>
    SpoolFrames.read(in) match {
      case Some(SpoolFrames.Head(header)) => header
      case _                              => throw new IOException("it does not begin with what the part is")
    }
  }

  /** All rows in order, each once it is known to be one of these columns. The object is reused. The caller closes what it
    * does not read to the end.
    */
  def rows(schema: StructType): Iterator[UnsafeRow] with Closeable = new Iterator[UnsafeRow] with Closeable {
    private[this] val bounds = new RowBounds(schema)
    private[this] val files  = beside.files.iterator
    private[this] var now    = Option.empty[(SpoolFile, java.io.InputStream, Iterator[UnsafeRow])]

    @scala.annotation.tailrec
    override def hasNext: Boolean = now match {
      case Some((file, _, rows)) if checked(file)(rows.hasNext) => true
      case _ if files.hasNext                                   =>
        close()
        val file = files.next()
        val in   = spoolFiles.read(file)
        now = Some((file, in, SpoolFrames.rows(in, bounds)))
        hasNext
      case _ =>
        close()
        false
    }

    override def next(): UnsafeRow = {
      if (!hasNext) throw new NoSuchElementException("there is no other row")
      val (file, _, rows) = now.get
      checked(file)(rows.next())
    }

    override def close(): Unit = {
      now.foreach(_._2.close())
      now = None
    }
  }

  private def reading[A](file: SpoolFile)(action: java.io.InputStream => A): A = checked(file) {
    val in = spoolFiles.read(file)
    try action(in)
    finally in.close()
  }

  private def checked[A](file: SpoolFile)(action: => A): A =
    try action
    catch {
      case e: EOFException => throw Errors.storeWrite(file.token, "it ends in the middle", e)
      case e: IOException  => throw Errors.storeWrite(file.token, String.valueOf(e.getMessage), e)
    }
}

private[bulk] object EarlierRows {

  /** The rows that earlier epochs left, then those of this one. The object is reused. */
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

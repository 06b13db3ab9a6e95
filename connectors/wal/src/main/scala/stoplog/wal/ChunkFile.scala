// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.io.{FileNotFoundException, InputStream}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, StructType}

import stoplog.format.bulk.WaitingRows

/** A chunk's file. Used by one thread.
  *
  * @param open reads it from its beginning; `None` if it is gone
  */
private[wal] final class ChunkFile(open: () => Option[InputStream]) extends ChunkRows with AutoCloseable {
  private var current = Option.empty[InputStream]

  // What was read to find the note serves the first who wants the rows.
  private var unread = read()

  /** What its writer noted before the rows: their columns. `None` if there is no such file. */
  val note: Option[String] = unread.map(_._1)

  override def iterator: Iterator[InternalRow] = {
    val (_, rows) =
      unread.orElse(read()).getOrElse(throw new FileNotFoundException("the chunk's file is gone"))
    unread = None
    rows
  }

  override def close(): Unit = {
    current.foreach(_.close())
    current = None
  }

  private def read(): Option[(String, Iterator[InternalRow])] = {
    close()
    current = open()
    try current.map(WaitingRows.read(_)(columns))
    catch {
      case e: Throwable =>
        close()
        throw e
    }
  }

  private def columns(note: String): StructType = DataType.fromJson(note).asInstanceOf[StructType]
}

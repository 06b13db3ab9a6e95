// SPDX-License-Identifier: Apache-2.0
package users

import java.util.{Map => JMap}

import scala.concurrent.Future
import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.async._
import stoplog.wal._

/** What the connectors ask of their users. Nothing here does anything: a user who can compile it can write one. */
object OwnConnectors {
  class OwnAsyncFunction[A, B] extends AsyncFunction[A, B] {
    override def call(row: A): Future[Seq[B]] = ???
  }

  class OwnAsyncBatchFunction[A, B] extends AsyncBatchFunction[A, B] {
    override def call(rows: Seq[A]): Future[Seq[Try[Seq[B]]]] = ???
  }

  class OwnCheckpointCommitter extends CheckpointCommitter {
    override def isCommitted(chunk: Chunk): Boolean = ???
    override def commit(chunk: Chunk): Unit = ???
    override def forgetBefore(query: String, epoch: Long): Unit = ???
    override def close(): Unit = ???
  }

  class OwnCheckpointCommitters extends CheckpointCommitters {
    override def open(options: JMap[String, String], log: LogPlace): CheckpointCommitter = ???
  }

  class OwnEpochTimes extends EpochTimes {
    override def of(chunk: Chunk, decided: DecidedEpoch): Option[Long] = ???
    override def close(): Unit = ???
  }

  class OwnRowSender extends RowSender {
    override def target(options: JMap[String, String]): String = ???
    override def open(options: JMap[String, String], schema: StructType): RowTarget = ???
  }

  class OwnRowTarget extends RowTarget {
    override def send(chunk: Chunk, rows: ChunkRows): Boolean = ???
    override def close(): Unit = ???
  }

  class OwnNotingTarget extends OwnRowTarget with NotingTarget

  class OwnChunkRows extends ChunkRows {
    override def iterator: Iterator[InternalRow] = ???
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{Base64, Map => JMap}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.error.Errors
import stoplog.python.{DriverPython, PythonPool, TaskClause}

/** Sends rows by a `stoplog.WriteAheadTarget` in Python. A row of the sink is an Arrow stream with rows of
  * the query, which Python has made and reads again.
  */
private[wal] final class PythonSender extends RowSender {
  override def target(options: JMap[String, String]): String = named(options, "sender.target")

  override def rowsTo(options: JMap[String, String]): String =
    s"${named(options, "sender.class")} in Python: ${target(options)}"

  override def check(options: JMap[String, String], schema: StructType): Unit =
    if (schema.fieldNames.toSeq != Seq("data", "rows"))
      throw Errors.invalidOptions(
        Seq("sender names the class of targets in Python: call write_stream of the WriteAheadSink.")
      )

  override private[wal] def rowsIn(row: InternalRow): Long = row.getLong(1)

  override def open(options: JMap[String, String], schema: StructType): RowTarget =
    new PythonTarget(PythonUser.borrow(options, "sender"))

  private def named(options: JMap[String, String], key: String): String =
    Option(options.get(key)).getOrElse("a class in Python")
}

private[wal] final class PythonTarget(user: PythonPool.Borrowed) extends RowTarget {

  override def send(chunk: Chunk, rows: ChunkRows): Boolean = rows.iterator.forall { row =>
    val data = Base64.getEncoder.encodeToString(row.getBinary(0))
    user
      .call("send_values", PythonUser.where(chunk))(
        data,
        chunk.epoch.map(Long.box).orNull,
        chunk.startedAtMillis.map(Long.box).orNull
      )
      .asBoolean()
  }

  override def close(): Unit = user.close()
}

/** Notes the sent chunks by a `stoplog.CheckpointCommitter` in Python. */
private[wal] final class PythonCommitters extends CheckpointCommitters {

  /** Error: `STOPLOG_PYTHON_FORBIDDEN`. */
  override def prepare(options: JMap[String, String], log: LogPlace): Unit =
    DriverPython.refuseIfForbidden(options.get("committer.class"))

  override def notesAt(options: JMap[String, String]): String =
    s"the committer ${options.get("committer.class")} in Python"

  override def open(options: JMap[String, String], log: LogPlace): CheckpointCommitter =
    new PythonCheckpointCommitter(() => PythonUser.borrow(options, "committer"))
}

private[wal] final class PythonCheckpointCommitter(borrow: () => PythonPool.Borrowed)
    extends CheckpointCommitter {
  private var user = Option.empty[PythonPool.Borrowed]

  override def isCommitted(chunk: Chunk): Boolean = ask("is_committed", chunk)

  override def commit(chunk: Chunk): Unit = ask("commit", chunk): Unit

  override def forgetBefore(query: String, epoch: Long): Unit = synchronized {
    borrowed.call("forget_before", s"before epoch $epoch")(query, epoch): Unit
  }

  override def close(): Unit = synchronized {
    user.foreach(_.close())
    user = None
  }

  private def ask(method: String, chunk: Chunk): Boolean = synchronized {
    val epoch = chunk.epoch.map(Long.box).orNull
    borrowed
      .call(method, PythonUser.where(chunk))(chunk.query, chunk.name, epoch, chunk.partition, chunk.rows)
      .asBoolean()
  }

  private def borrowed: PythonPool.Borrowed = user.getOrElse {
    val made = borrow()
    user = Some(made)
    made
  }
}

private[wal] object PythonUser {

  /** @param role the option that names the class, and the prefix of its own options */
  def borrow(options: JMap[String, String], role: String): PythonPool.Borrowed =
    PythonPool.borrow(
      options.get(s"$role.class"),
      options.get(s"$role.pickled"),
      DriverPython.command(options)
    )

  def where(chunk: Chunk): String = TaskClause.of(chunk.epoch, Seq(chunk.partition))
}

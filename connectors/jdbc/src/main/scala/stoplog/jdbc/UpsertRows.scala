// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.{TreeMap => JTreeMap}

import scala.jdk.CollectionConverters._

import stoplog.fault.{Faults, Step}

/** Sends rows by key. Of rows with one key in a batch only the last is sent; batches are sent in turn, so that of all
  * rows of a task the last one of each key stays.
  *
  * @param keys the places of the key columns
  */
private[jdbc] final class UpsertRows(
    session: Session,
    scope: BatchScope,
    retries: Retries,
    target: Target,
    keys: Array[Int],
    batchRows: Int,
    rejects: Rejects,
    faults: Faults
) extends TaskRows {
  private[this] val upsert = target.dialect.upsert(
    target.table,
    target.columns.map(_.quoted),
    keys.toSeq.map(target.columns(_).quoted)
  )
  private[this] val places = upsert.parameters.toArray
  private[this] val buffer = new JTreeMap[JdbcRow, JdbcRow](new KeyOrder(keys))
  private[this] var rows   = 0L

  private[this] val many = target.dialect.upsertMany(
    target.table,
    target.columns,
    keys.toSeq.map(target.columns(_).quoted)
  )

  private[this] val batches = new Batches(scope, target.dialect, faults, target.writeFailed)(
    send = (batch, _) => if (batch.sizeIs == 1 || !many.exists(sendTogether(_, batch))) sendEach(batch),
    sent = batch => rows += batch.size,
    bad = rejects.take
  )

  override def write(row: JdbcRow): Unit =
    keys.find(row.values(_) == null) match {
      case Some(key) => reject(row, JdbcErrors.nullKey(target.table, target.columns(key).name))
      case None      =>
        // Not only the value: keys that are equal to the order need not be the same, such as 1.0 and 1.00.
        buffer.remove(row)
        buffer.put(row, row)
        if (buffer.size >= batchRows) flush()
    }

  override def reject(row: JdbcRow, why: Throwable): Unit = rejects.take(row, why)

  override def finish(): TaskResult = {
    flush()
    val rejected = rejects.finish()
    faults.at(Step.JdbcTaskDone)
    TaskResult(attempt = "", rows, rejected, retries.count)
  }

  override def close(): Unit = session.close()

  private def sendTogether(many: Columnwise, batch: IndexedSeq[JdbcRow]): Boolean = {
    val statement = session.statement(many.sql)
    many.bind(statement, batch) && {
      statement.executeUpdate()
      true
    }
  }

  private def sendEach(batch: IndexedSeq[JdbcRow]): Unit = {
    val statement = session.statement(upsert.sql)
    Batches.execute(statement, batch) { row =>
      var i = 0
      while (i < places.length) {
        target.columns(places(i)).bind(statement, i + 1, row.values(places(i)))
        i += 1
      }
    }
  }

  private def flush(): Unit = if (!buffer.isEmpty) {
    val batch = buffer.values.asScala.toVector
    buffer.clear()
    batches(batch)
  }
}

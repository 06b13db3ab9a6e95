// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.wal

import java.util.UUID

import stoplog.fault.{Faults, Step}
import stoplog.format.SparkSessionForTests
import stoplog.jdbc.TestDatabase
import stoplog.jdbc.client.JdbcStep
import stoplog.matrix.{ConnectorMatrixSuite, ConnectorRows, ConnectorWorld, CrashMode, MatrixSection}
import stoplog.wal.{WriteAheadStep, WriteAheadWords, WriteAheadWorld}

/** A query that sends to a database which has the notes as well, stopped at each step. */
class JdbcWriteAheadMatrixSuite
    extends ConnectorMatrixSuite(MatrixSection.WriteAheadDatabase)
    with SparkSessionForTests {
  import JdbcWriteAheadMatrixSuite._

  override protected def about: String =
    "`sender=jdbc` with `committer=jdbc` on PostgreSQL, read by plain JDBC. Each epoch has two or " +
      "three tasks, and therefore chunks. The log is on local disks, and contains a chunk of an " +
      "earlier dead process when the query starts. A process that sleeps with an open transaction " +
      s"(`${JdbcStep.InCommit.name}`) holds the lock of the chunk's note: the successor waits until the " +
      "process continues, dies, or is dropped by the server."

  override protected def targets: Seq[(String, () => ConnectorWorld)] =
    Seq("PostgreSQL" -> (() => { spark; new NotedWorld(TestDatabase.postgres, UUID.randomUUID().toString) }))

  override protected def steps: Vector[Step] = Words.map(_._1)

  override protected def after(step: Step): String = Words.toMap.apply(step)

  override protected def sampled(step: Step, fate: CrashMode): Boolean = Sample(step)

  override protected def holding: Set[Step] = Set(JdbcStep.InCommit)

  testMatrix()
}

private object JdbcWriteAheadMatrixSuite {
  val Words: Vector[(Step, String)] = WriteAheadWords(JdbcStep.InCommit).map {
    case (JdbcStep.InCommit, _) =>
      JdbcStep.InCommit -> "a chunk and its note in a transaction that is still open"
    case (WriteAheadStep.AfterSend, _) => WriteAheadStep.AfterSend -> "a chunk sent, with its note"
    case other                         => other
  }

  val Sample: Set[Step] =
    Set(
      Step.AfterRecord,
      WriteAheadStep.BeforeSend,
      JdbcStep.InCommit,
      WriteAheadStep.AfterSend,
      Step.PartPublished
    )

  /** @param name of the world's connections, by which the server tells them from all others */
  final class NotedWorld(database: TestDatabase, name: String, table: String)
      extends WriteAheadWorld(
        Map(
          "sender"            -> "jdbc",
          "committer"         -> "jdbc",
          "jdbc.url"          -> s"${database.url}&ApplicationName=$name",
          "jdbc.dbtable"      -> table,
          "jdbc.retryTimeout" -> "0s"
        ),
        (faults: Faults) => new JdbcSender(() => faults),
        ConnectorRows.Inserts
      ) {
    def this(database: TestDatabase, name: String) = this(database, name, database.newHeap())

    override protected def found(): Seq[ConnectorRows.Row] =
      database.rows(s"SELECT id, word FROM $table").map(row => row.head.toLong -> row(1))

    override def restored(epoch: Long): Option[ConnectorWorld.Restored] = restoredLog(epoch)

    override def processesDied(): Unit = {
      database.rows(
        s"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '$name'"
      )
      ()
    }
  }
}

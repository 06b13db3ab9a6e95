// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.wal

import java.util.UUID

import stoplog.cassandra.KeyspaceForTests
import stoplog.fault.Step
import stoplog.format.SparkSessionForTests
import stoplog.matrix.{ConnectorMatrixSuite, ConnectorRows, ConnectorWorld, CrashMode, MatrixSection}
import stoplog.wal.{WriteAheadStep, WriteAheadWords, WriteAheadWorld}

/** A query that sends to Cassandra, stopped at each step. */
class CassandraWriteAheadMatrixSuite
    extends ConnectorMatrixSuite(MatrixSection.WriteAheadCassandra)
    with KeyspaceForTests
    with SparkSessionForTests {

  override protected def about: String =
    "`sender=cassandra` with `committer=cassandra` on a real node, read by the node's driver. Each " +
      "epoch writes new values of the same keys, in two or three tasks, and therefore chunks. The log " +
      "is on local disks, and contains a chunk of an earlier dead process when the query starts. A " +
      "repeated chunk has the original timestamps, so the chunk changes nothing, regardless of newer " +
      "epochs."

  override protected def targets: Seq[(String, () => ConnectorWorld)] = Seq("Cassandra" -> (() => newWorld()))

  override protected def steps: Vector[Step] = WriteAheadWords().map(_._1)

  override protected def after(step: Step): String = WriteAheadWords().toMap.apply(step)

  override protected def sampled(step: Step, fate: CrashMode): Boolean =
    Set[Step](
      Step.AfterRecord,
      WriteAheadStep.BeforeSend,
      WriteAheadStep.AfterSend,
      WriteAheadStep.AfterNote
    )(step)

  override protected def result(step: Step, fate: CrashMode): String = ConnectorRows.Upserts.result

  testMatrix()

  private def newWorld(): ConnectorWorld = {
    spark
    val table = s"t_${UUID.randomUUID().toString.take(8)}"
    cql(s"CREATE TABLE %s.$table (id bigint PRIMARY KEY, word text)")
    new WriteAheadWorld(
      Map("sender" -> "cassandra", "committer" -> "cassandra") ++
        options(table).map { case (key, value) => s"cassandra.$key" -> value },
      _ => new CassandraSender,
      ConnectorRows.Upserts
    ) {
      override def restored(epoch: Long): Option[ConnectorWorld.Restored] = restoredLog(epoch)

      override protected def found(): Seq[ConnectorRows.Row] =
        cql(s"SELECT id, word FROM %s.$table").map(row => row.getLong(0) -> row.getString(1))
    }
  }
}

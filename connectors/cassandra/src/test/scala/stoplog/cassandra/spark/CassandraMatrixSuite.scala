// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.spark

import java.util.UUID
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import stoplog.cassandra.KeyspaceForTests
import stoplog.cassandra.options.CassandraOptions
import stoplog.cassandra.schema.TableInfo
import stoplog.cassandra.write.{UpsertWriter, WritePlan}
import stoplog.commit.BatchDigests
import stoplog.fault.{Faults, Step}
import stoplog.log.BatchDigest
import stoplog.matrix.{ConnectorMatrixSuite, ConnectorRows, ConnectorWorld, CrashMode, MatrixSection}

/** Upserts into a real node, stopped at each step. */
class CassandraMatrixSuite extends ConnectorMatrixSuite(MatrixSection.Cassandra) with KeyspaceForTests {
  import CassandraMatrixSuite._

  override protected def about: String =
    "A real node, read by the node's driver. Each epoch writes new values of the same keys, with the " +
      "write timestamp of the epoch (`writeTimestamp` = `epoch`). A process that repeats an epoch has " +
      "another number of tasks than the process before. Late writes of a woken process are older than " +
      "the writes of newer epochs, and remain invisible."

  override protected def targets: Seq[(String, () => ConnectorWorld)] = Seq(
    "Cassandra" -> (() => new Fixture)
  )

  override protected def steps: Vector[Step] = Words.map(_._1)

  override protected def after(step: Step): String = Words.toMap.apply(step)

  override protected def sampled(step: Step, fate: CrashMode): Boolean = true

  override protected def result(step: Step, fate: CrashMode): String = ConnectorRows.Upserts.result

  testMatrix()

  private final class Fixture extends ConnectorWorld {
    private val table = s"t_${UUID.randomUUID().toString.take(8)}"
    cql(s"CREATE TABLE %s.$table (id bigint PRIMARY KEY, word text, mirrored text)")

    private val asked     = CassandraOptions.parse(options(table).asJava)
    private val info      = TableInfo.of(asked)
    private val plan      = WritePlan.of(info, Schema, asked)
    private val processes = new AtomicInteger

    override def process(faults: Faults): ConnectorWorld.Process = {
      val number = processes.incrementAndGet()
      val run    = new CassandraRun(info, asked, plan, queryId = table, faults)
      (epoch: Long) =>
        write(
          run.timeOf(epoch, planned),
          ConnectorRows.Upserts.inTasks(epoch, tasks = 1 + number % 3),
          faults
        )
    }

    override def restored(epoch: Long): Option[ConnectorWorld.Restored] = Some(new ConnectorWorld.Restored {

      override def write(): Unit = {
        val run    = new CassandraRun(info, asked, plan, queryId = table, Faults.none)
        val micros = run.timeOf(epoch, plannedAnew(epoch))
        Fixture.this.write(micros, ConnectorRows.Upserts.anewInTasks(epoch, tasks = 2), Faults.none)
      }

      override def problems(fate: ConnectorRows.Anew): Vector[String] =
        mixed ++ ConnectorRows.Upserts.problemsAnew(found, epoch, fate)
    })

    override def surplus(): Vector[String] = mixed ++ ConnectorRows.Upserts.surplus(found)

    override def problems(epochs: Long): Vector[String] =
      mixed ++ ConnectorRows.Upserts.problems(found, epochs)

    override def result: String = ConnectorRows.Upserts.result

    private def write(micros: Option[Long], tasks: Seq[Seq[ConnectorRows.Row]], faults: Faults): Unit =
      for (rows <- tasks) {
        val task = new UpsertWriter(plan, session, asked, micros, faults)
        rows.foreach { case (id, word) =>
          task.write(InternalRow(id, UTF8String.fromString(word), UTF8String.fromString(mirrored(word))))
        }
        task.finish()
      }

    private def found = rows.map { case (row, _) => row }

    /** Rows with cells of two writes. */
    private def mixed = rows.collect {
      case (row @ (_, word), other) if mirrored(word) != other => s"$row has '$other' of another row"
    }.toVector

    private def rows = cql(s"SELECT id, word, mirrored FROM %s.$table").map { row =>
      (row.getLong(0) -> row.getString(1), row.getString(2))
    }
  }
}

private object CassandraMatrixSuite {
  val Schema: StructType =
    new StructType().add("id", LongType).add("word", StringType).add("mirrored", StringType)

  val planned: BatchDigests = batch => Some(BatchDigest(s"batch $batch"))

  def plannedAnew(epoch: Long): BatchDigests =
    batch => if (batch == epoch) Some(BatchDigest(s"batch $batch anew")) else planned.of(batch)

  /** Maps larger words to smaller ones. Cassandra keeps the larger cell of two writes with one timestamp, so cells of both rows remain. */
  def mirrored(word: String): String = word.map(char => ('~' - char + ' ').toChar)

  val Words: Vector[(Step, String)] = Vector(
    Step.BeforeClaim -> "everything of earlier epochs in the target; the epoch has no time",
    Step.AfterClaim  -> "the time of the epoch in the table `stoplog_epochs`; none of its rows sent",
    Step.MidWrite    -> "some of a task's rows sent, maybe not acknowledged",
    Step.BeforeSync  -> "all rows of the task sent, not all acknowledged",
    Step.AfterSync   -> "all rows of the task in the target; the driver has not heard of it"
  )
}

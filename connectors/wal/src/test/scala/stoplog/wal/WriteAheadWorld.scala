// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.io.File
import java.nio.file.Files
import java.util.UUID
import java.util.concurrent.atomic.AtomicInteger

import scala.collection.concurrent.TrieMap
import scala.util.Try

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import stoplog.fault.{Faults, Step}
import stoplog.matrix.{ConnectorRows, ConnectorWorld, Crash, PreparedProcess}
import stoplog.part.RunId

/** A query that sends rows of the columns `word` and `id` out of its log. What a process that died has put into the log is
  * there from the beginning. Needs an active session.
  *
  * @param options   of the write, by which sender and committer are found
  * @param newSender of one process
  * @param found     what is in the target
  */
abstract class WriteAheadWorld(
    options: Map[String, String],
    newSender: Faults => RowSender,
    rows: ConnectorRows
) extends ConnectorWorld {

  protected def found(): Seq[ConnectorRows.Row]

  private val schema    = new StructType().add("word", StringType).add("id", LongType)
  private val chunks    = new ChunkWorld(options, schema)
  private val copies    = TrieMap.empty[Long, ChunkWorld]
  private val asked     = WriteAheadOptions.parse(options)
  private val query     = UUID.randomUUID().toString
  private val processes = new AtomicInteger

  require(Try(process(ChunkWorld.dying(Step.AfterSync)).epoch(0)).isFailure, "somebody has died")

  override final def process(faults: Faults): ConnectorWorld.Process = {
    val tasks   = 2 + processes.getAndIncrement() % 2
    val process = processOn(chunks, faults)(rows.inTasks(_, tasks))
    new ConnectorWorld.Process {
      override def epoch(number: Long): Unit = {
        copies.getOrElseUpdate(number, copied())
        process.epoch(number)
      }

      override def end(): Unit = process.end()
    }
  }

  /** The log is in the checkpoint, and was restored with it. */
  protected final def restoredLog(epoch: Long): Option[ConnectorWorld.Restored] = Some(
    new ConnectorWorld.Restored {
      override def write(): Unit =
        processOn(copies(epoch), Faults.none)(rows.anewInTasks(_, tasks = 2)).epoch(epoch)

      override def problems(fate: ConnectorRows.Anew): Vector[String] =
        rows.problemsAnew(found(), epoch, fate)
    }
  )

  private def copied(): ChunkWorld = {
    val to = Files.createTempDirectory("wal")
    FileUtils.copyDirectory(new File(chunks.at), to.toFile)
    new ChunkWorld(options, schema, to.toString)
  }

  private def processOn(log: ChunkWorld, faults: Faults)(
      inTasks: Long => Seq[Seq[ConnectorRows.Row]]
  ): ConnectorWorld.Process = {
    val own    = asked.copy(sender = newSender(faults))
    val passed = own.passed
    own.committers.prepare(passed, log.place)
    val sending = new ChunkSender(own, log.place, () => faults)
    new PreparedProcess[InternalRow](
      log.at,
      RunId.random(),
      new ChunkCommitter(
        sending.send,
        own.committers.open(passed, log.place),
        own.sender.times(passed),
        log.place,
        ChunkBounds(own.places),
        new ChunkCommitter.ChunkLocks
      ),
      task => new ChunkWriter(ChunkNote.of(own, schema), log.place, task, query, own.places, _ => 1L),
      inTasks(_).map(_.map { case (id, word) => InternalRow(UTF8String.fromString(word), id) }),
      Crash.clock(),
      faults
    )
  }

  override def surplus(): Vector[String] = rows.surplus(found())

  override def problems(epochs: Long): Vector[String] = rows.problems(found(), epochs) ++
    Option.when(chunks.kept > 0)(s"${chunks.kept} chunks are left in the log")

  override def result: String = rows.result
}

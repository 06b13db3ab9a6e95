package stoplog.wal

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.fault.Faults
import stoplog.part.SideFile
import stoplog.sink._

/** Rows of each epoch go to files of the sink's log; the record of the epoch decides that they are sent; then they are sent,
  * file by file, by tasks of their own.
  */
private[wal] final class WriteAheadRows(
    sender: RowSender,
    committers: CheckpointCommitters,
    options: Map[String, String],
    schema: StructType,
    place: LogPlace
) extends TwoPhaseSink[InternalRow] {

  override def target: String = sender.target(Caseless(options))

  override def writer(task: WriterTask): TwoPhaseWriter[InternalRow] = new ChunkWriter(schema, place, task)

  override def committer(): TwoPhaseCommitter = {
    val chunks = new ChunkSender(sender, committers, options, place, () => Faults.ofThisJvm)
    new ChunkCommitter(
      chunks,
      committers.open(Caseless(options), place),
      place,
      SparkSession.active.sparkContext
    )
  }
}

/** The driver's half: has chunks sent, each in a task of its own. */
private[wal] final class ChunkCommitter(
    chunks: ChunkSender,
    committer: CheckpointCommitter,
    place: LogPlace,
    context: SparkContext
) extends TwoPhaseCommitter {
  private var forgotten = -1L

  override def commit(prepared: Prepared): CommitOutcome = {
    val token   = ChunkToken.parse(prepared.token)
    val chunk   = Chunk(place.sinkId, prepared.name, token.epoch, token.partition, prepared.rows)
    val outcome = ChunkCommitter.inTask(context, chunks, chunk, token.file)
    if (outcome != CommitOutcome.Lost) place.files.discard(Seq(token.file.token))
    token.epoch.foreach(forgetBefore)
    outcome
  }

  override def staged(): Vector[Staged] = place.files.staged()

  override def stagedOf(token: String): Set[String] = Set(ChunkToken.parse(token).file.token)

  override def abort(token: String): Unit = place.files.discard(Seq(token))

  override def close(): Unit = committer.close()

  /** Whoever commits an epoch has marked the records of all before it. */
  private def forgetBefore(epoch: Long): Unit = synchronized {
    if (epoch > forgotten) {
      forgotten = epoch
      committer.forgetBefore(place.sinkId, epoch)
    }
  }
}

private object ChunkCommitter {

  /** What is decided is carried out: not in the query's group of jobs, which ends when the query is stopped. */
  def inTask(context: SparkContext, chunks: ChunkSender, chunk: Chunk, file: SideFile): CommitOutcome = {
    context.clearJobGroup()
    val done =
      context.parallelize(Seq(chunk -> file), 1).map { case (chunk, file) => chunks.send(chunk, file) }
    done.collect().head
  }
}

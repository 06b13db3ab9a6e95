// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.nio.file.{Files, Path}
import java.util.{Map => JMap}
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

import scala.collection.mutable
import scala.util.Try

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions.{col, udf}
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQuery, Trigger}
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.commit.{MemoryTransactions, TransactionWorld}
import stoplog.format.{RowSink, SparkSessionForTests}
import stoplog.sink._
import stoplog.spark.RunEnds

/** The table of docs/beyond-files/consistency.md, cell by cell: what becomes of the rows of an epoch in which a query dies once, before
  * its sink has them or after that, if its source can give them again or cannot.
  */
class ConsistencySuite extends AnyFunSuite with SparkSessionForTests {
  import ConsistencySuite._

  private val sinks = Seq[(String, Fixture => Target)](
    "any sink"           -> (_ => new AnySink),
    "an idempotent sink" -> (_ => new IdempotentSink),
    "a write-ahead sink" -> (new WriteAhead(_, classOf[DyingSender], classOf[FileCommitters])),
    "a write-ahead sink with its notes in the target" -> (new WriteAhead(
      _,
      classOf[DyingNotingSender],
      classOf[InboxCommitters]
    )),
    "a sink of two phases" -> (new TwoPhases(_))
  )

  // A long run watches what Spark's own door does, of which nothing is stoplog's.
  private lazy val OfSpark = Set("any sink", "an idempotent sink")

  private val promised = Map[(String, Source), (Outcome, Outcome)](
    ("any sink", Resettable)                                        -> (Once, Twice),
    ("an idempotent sink", Resettable)                              -> (Once, Once),
    ("a write-ahead sink", Resettable)                              -> (Once, Twice),
    ("a write-ahead sink with its notes in the target", Resettable) -> (Once, Once),
    ("a write-ahead sink with its notes in the target", Forgetful)  -> (Lost, Once),
    ("a sink of two phases", Resettable)                            -> (Once, Once),
    ("any sink", Forgetful)                                         -> (Lost, Once),
    ("an idempotent sink", Forgetful)                               -> (Lost, Once),
    ("a write-ahead sink", Forgetful)                               -> (Lost, Twice),
    ("a sink of two phases", Forgetful)                             -> (Lost, Once)
  )

  for {
    (sink, make) <- sinks if LongRun.isOn || !OfSpark(sink)
    source       <- Seq(Resettable, Forgetful)
    (before, after) = promised((sink, source))
    (moment, wanted) <- Seq(BeforeTheSink -> before, AfterTheSink -> after)
  } test(s"$source source, $sink, a death $moment: $wanted") {
    val world  = new Fixture(source)
    val target = make(world)
    world.arrive("1", Seq("a", "b"))
    world.run(target).get
    world.arrive("2", Seq("c", "d"))
    moment match {
      case BeforeTheSink => world.failsInTask.set(1)
      case AfterTheSink  => target.diesOnceItHasTheRows()
    }
    assert(world.run(target).isFailure)
    world.run(target).get
    val found = target.rows.groupBy(identity).view.mapValues(_.size).toMap
    assert(Seq("a", "b").map(found.getOrElse(_, 0)) === Seq(1, 1))
    assert(Seq("c", "d").map(found.getOrElse(_, 0)) === Seq.fill(2)(wanted.times))
  }

  /** A query from files, of which a forgetful source gives each line a single time. */
  private final class Fixture(source: Source) {
    val root: Path       = Files.createTempDirectory("consistency")
    private val in: Path = Files.createDirectories(root.resolve("in"))
    private val handed   = ConcurrentHashMap.newKeySet[String]()
    ConsistencySuite.worlds.put(root.toString, this)

    /** How many tasks fail when they have read their rows. */
    val failsInTask = new AtomicInteger()

    def arrive(name: String, lines: Seq[String]): Unit = {
      Files.writeString(in.resolve(name), lines.mkString("", "\n", "\n"))
      ()
    }

    /** Whether the source gives the line, this time. */
    def gives(line: String): Boolean = {
      val first = handed.add(line)
      if (line == "d" && failsInTask.getAndDecrement() > 0) throw new IllegalStateException("died")
      first || source == Resettable
    }

    def run(target: Target): Try[Unit] = Try {
      val name  = root.toString
      val gives = udf((line: String) => ConsistencySuite.worlds.get(name).asInstanceOf[Fixture].gives(line))
      val lines = spark.readStream.format("stoplog").option("format", "text").load(in.toString)
      val query = target
        .write(lines.filter(gives.asNondeterministic()(col("value"))))
        .option("checkpointLocation", root.resolve("checkpoint").toString)
        .trigger(Trigger.AvailableNow())
        .start()
      try query.awaitTermination()
      finally target.awaitEnd(query)
    }
  }

  private trait Target {
    def write(rows: DataFrame): DataStreamWriter[_]
    def diesOnceItHasTheRows(): Unit
    def rows: Seq[String]

    /** The end of a run tries once more to carry out what was decided, beside whoever starts the query anew. */
    def awaitEnd(query: StreamingQuery): Unit = ()
  }

  private trait WithLog extends Target {
    override def awaitEnd(query: StreamingQuery): Unit = {
      assert(RunEnds.await(query.runId.toString, timeoutMillis = 300000))
      ()
    }
  }

  /** Spark's door for sinks that promise nothing. */
  private abstract class ForEachBatch extends Target {
    private val deaths = new AtomicInteger()

    protected def take(rows: Seq[String]): Unit

    override def diesOnceItHasTheRows(): Unit = deaths.set(1)

    override def write(rows: DataFrame): DataStreamWriter[_] =
      rows.writeStream.foreachBatch { (batch: DataFrame, _: Long) =>
        take(batch.collect().map(_.getString(0)).toSeq)
        if (deaths.getAndDecrement() > 0) throw new IllegalStateException("died")
      }
  }

  private final class AnySink extends ForEachBatch {
    private val all                                      = mutable.Buffer.empty[String]
    override protected def take(rows: Seq[String]): Unit = all ++= rows
    override def rows: Seq[String]                       = all.toSeq
  }

  private final class IdempotentSink extends ForEachBatch {
    private val all                                      = mutable.Set.empty[String]
    override protected def take(rows: Seq[String]): Unit = all ++= rows
    override def rows: Seq[String]                       = all.toSeq
  }

  private final class WriteAhead(
      world: Fixture,
      sender: Class[_ <: RowSender],
      committers: Class[_ <: CheckpointCommitters]
  ) extends WithLog {
    private val inbox = InMemoryTarget.named(world.root.toString)

    override def write(rows: DataFrame): DataStreamWriter[_] = rows.writeStream
      .format("stoplog-wal")
      .option("sender", sender.getName)
      .option("committer", committers.getName)
      .option("inbox", world.root.toString)

    override def diesOnceItHasTheRows(): Unit = DyingSender.deaths.set(1)
    override def rows: Seq[String]            = inbox.rows
  }

  private final class TwoPhases(world: Fixture) extends WithLog {
    private val transactions = TransactionalInbox.named(world.root.toString)

    override def write(rows: DataFrame): DataStreamWriter[_] = rows.writeStream
      .format("stoplog")
      .option("sink", classOf[TransactionalInbox].getName)
      .option("inbox", world.root.toString)

    override def diesOnceItHasTheRows(): Unit = TransactionalInbox.deaths.set(1)
    override def rows: Seq[String]            = transactions.rows
  }
}

object ConsistencySuite {
  private val worlds = new ConcurrentHashMap[String, AnyRef]()

  sealed trait Source
  case object Resettable extends Source { override def toString: String = "a resettable" }
  case object Forgetful  extends Source { override def toString: String = "a forgetful"  }

  sealed trait Moment
  case object BeforeTheSink extends Moment { override def toString: String = "before the sink has the rows" }
  case object AfterTheSink  extends Moment { override def toString: String = "once the sink has the rows"   }

  sealed abstract class Outcome(val times: Int) extends Product
  case object Lost                              extends Outcome(0)
  case object Once                              extends Outcome(1)
  case object Twice                             extends Outcome(2)
}

/** Takes all rows of a chunk and dies, if it is to. */
class DyingSender extends InboxSender {
  override def open(options: JMap[String, String], schema: StructType): RowTarget = {
    val inbox = super.open(options, schema)
    new RowTarget {
      override def send(chunk: Chunk, rows: ChunkRows): Boolean = {
        inbox.send(chunk, rows)
        if (DyingSender.deaths.getAndDecrement() > 0) throw new IllegalStateException("died")
        true
      }
      override def close(): Unit = inbox.close()
    }
  }
}

/** The same of a target that knows its chunks again: what it takes, it takes with the note. */
final class DyingNotingSender extends DyingSender {
  override def open(options: JMap[String, String], schema: StructType): RowTarget = {
    val dying = super.open(options, schema)
    val inbox = InMemoryTarget.named(options.get("inbox"))
    new NotingTarget {
      override def send(chunk: Chunk, rows: ChunkRows): Boolean = dying.send(chunk, rows)
      override def has(chunk: Chunk): ArrivalStatus             =
        if (inbox.has(chunk)) ArrivalStatus.Arrived else ArrivalStatus.Missing
      override def close(): Unit = dying.close()
    }
  }
}

/** The notes that such a target has. */
final class InboxCommitters extends CheckpointCommitters {
  override def open(options: JMap[String, String], log: LogPlace): CheckpointCommitter =
    new CheckpointCommitter {
      override def isCommitted(chunk: Chunk): Boolean = InMemoryTarget.named(options.get("inbox")).has(chunk)
      override def commit(chunk: Chunk): Unit         = ()
      override def forgetBefore(query: String, epoch: Long): Unit = ()
    }
}

object DyingSender {
  val deaths = new AtomicInteger()
}

/** A system with transactions. Whoever is about to commit dies, if he is to: the record stands, and nothing is visible. */
final class TransactionalInbox extends RowSink {
  override def open(options: JMap[String, String], schema: StructType): TwoPhaseSink[InternalRow] =
    new TransactionalInboxSink(options.get("inbox"))
}

private final class TransactionalInboxSink(name: String) extends TwoPhaseSink[InternalRow] {
  override def target: String = name

  override def writer(task: WriterTask): TwoPhaseWriter[InternalRow] = {
    val lines = new MemoryTransactions(TransactionalInbox.named(name)).writer(task)
    new TwoPhaseWriter[InternalRow] {
      override def write(row: InternalRow): Unit = lines.write(row.getUTF8String(0).toString)
      override def prepare(): Vector[Prepared]   = lines.prepare()
      override def abort(): Unit                 = lines.abort()
      override def close(): Unit                 = lines.close()
    }
  }

  override def committer(): TwoPhaseCommitter = {
    val all = new MemoryTransactions(TransactionalInbox.named(name)).committer()
    new TwoPhaseCommitter {
      override def commit(prepared: Prepared): CommitOutcome =
        if (TransactionalInbox.deaths.getAndDecrement() > 0) throw new IllegalStateException("died")
        else all.commit(prepared)
      override def staged(): Vector[Staged]   = all.staged()
      override def abort(token: String): Unit = all.abort(token)
    }
  }
}

object TransactionalInbox {
  val deaths = new AtomicInteger()

  private val all = new ConcurrentHashMap[String, TransactionWorld]()

  def named(name: String): TransactionWorld = all.computeIfAbsent(name, _ => new TransactionWorld)
}

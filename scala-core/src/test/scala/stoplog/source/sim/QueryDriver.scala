// SPDX-License-Identifier: Apache-2.0
package stoplog.source.sim

import java.io._
import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.immutable.ArraySeq

import stoplog.storage.{NoFiles, PutOutcome}
import stoplog.source._
import stoplog.source.StateFiles

/** One start of a query on a [[SourceDriver]], which Spark drives: it plans a micro-batch, writes its offset, reads it,
  * and commits it.
  *
  * @param order       in which its enumerator finds the splits: two drivers may find them in different ones
  * @param batches     so many it runs at most
  * @param keptBatches see [[SourceDriver]]
  */
final case class QueryDriver(
    name: String,
    order: Vector[String],
    batches: Int,
    keptBatches: Int,
    mutation: SplitMutation,
    log: SparksLog = SparksLog.Kept
) {
  import QueryDriver._

  /** Ends when everything is read, or another driver was faster. */
  def run(ask: Request => Answer): Unit = ask(Request.Start) match {
    case Answer.Begun(offsets, commits) =>
      def written(request: Request) = log match {
        case SparksLog.Kept      => ask(request) == Answer.IsMade(true)
        case SparksLog.Unguarded => ask(request); true
        case SparksLog.Lost      => true
      }
      val state  = mutation.files(new AskedFiles(ask, ""))
      val driver = new SourceDriver(new Listed(order, ask), state, keptBatches)
      var at     = if (commits == 0) 0L else offsets(commits - 1)
      var batch  = commits
      var goesOn = true
      val until  = commits + batches
      while (goesOn && batch < until && at < order.size) {
        val end = offsets.lift(batch).getOrElse(driver.plan(at, One))
        goesOn = (batch < offsets.size || written(Request.WriteOffset(batch, end))) && {
          ask(Request.Read(at, driver.splits(at, end).map(_.name).toVector))
          written(Request.WriteCommit(batch))
        }
        if (goesOn) driver.committed(end)
        at = end
        batch += 1
      }
    case other => throw new Broken(s"$other is no start")
  }

  override def toString: String = name
}

/** What Spark's own log of batches does for the source. */
sealed trait SparksLog extends Product with Serializable
object SparksLog {

  /** Of two drivers on one batch, the slower one ends. */
  case object Kept extends SparksLog

  /** It refuses no driver, as on storages where a file that is there is written over. */
  case object Unguarded extends SparksLog

  /** Each driver plans all batches again, as the source's log has them. */
  case object Lost extends SparksLog
}

object QueryDriver {
  private val One = ReadLimits.none.copy(splits = Some(1))

  private final case class Named(name: String) extends Split {
    override def describe: String = name
    override def size: SplitSize  = SplitSize(1, None)
  }

  private object NamedSerializer extends VersionedSerializer[Named] {
    override val version: Int                               = 1
    override def write(split: Named, out: DataOutput): Unit = out.writeUTF(split.name)
    override def read(version: Int, in: DataInput): Named   = Named(in.readUTF())
  }

  private final class Listed(order: Vector[String], ask: Request => Answer)
      extends SplitSource[Named, String, String] {
    override def describe: String                         = "splits by name"
    override def splits: VersionedSerializer[Named]       = NamedSerializer
    override def reader(): SplitReader[Named, String]     = throw new UnsupportedOperationException("a task")
    override def emitter(): RecordEmitter[String, String] = throw new UnsupportedOperationException("a task")

    override def enumerator(context: EnumeratorContext[Named]): SplitEnumerator[Named] =
      new Finder(order, context.restored.fold(Vector.empty[String])(names), ask)
  }

  /** Its snapshot names the splits that it has yielded. */
  private final class Finder(order: Vector[String], before: Vector[String], ask: Request => Answer)
      extends SplitEnumerator[Named] {
    private var yielded = before

    override def discover(): Discovery = Discovery.Complete

    override def next(): Option[Named] = {
      val found = order.find(!yielded.contains(_))
      yielded ++= found
      found.map(Named)
    }

    override def takeBack(split: Named): Unit = yielded = yielded.filterNot(_ == split.name)

    override def snapshot(end: Long): Array[Byte] = yielded.sorted.mkString(",").getBytes(UTF_8)

    override def fixTarget(): Unit = ()

    override def committed(first: Long, splits: Iterator[Named]): Unit = {
      ask(Request.Clean(first, splits.map(_.name).toVector))
      ()
    }

    override def outstanding: Outstanding = Outstanding.none

    override def close(): Unit = ()
  }

  private def names(snapshot: Array[Byte]): Vector[String] =
    new String(snapshot, UTF_8).split(',').toVector.filter(_.nonEmpty)

  /** Each access is a request. */
  private final class AskedFiles(ask: Request => Answer, directory: String) extends StateFiles(NoFiles) {
    override def list(): Vector[String] = ask(Request.List(directory)) match {
      case Answer.Names(names) => names
      case other               => throw new Broken(s"$other is no list")
    }

    override def open(name: String): InputStream = ask(Request.Open(directory + name)) match {
      case Answer.Content(Some(bytes)) => new ByteArrayInputStream(bytes.toArray)
      case _                           => throw new FileNotFoundException(name)
    }

    override def putIfAbsent(name: String)(write: OutputStream => Unit): PutOutcome = {
      val bytes = new ByteArrayOutputStream()
      write(bytes)
      val request = Request.PutIfAbsent(directory + name, ArraySeq.unsafeWrapArray(bytes.toByteArray))
      if (ask(request) == Answer.IsMade(true)) PutOutcome.Created else PutOutcome.Taken
    }

    override def delete(name: String): Unit = {
      ask(Request.Delete(directory + name))
      ()
    }

    override def in(below: String): StateFiles = new AskedFiles(ask, s"$directory$below/")

    override def describe(name: String): String = directory + name
  }
}

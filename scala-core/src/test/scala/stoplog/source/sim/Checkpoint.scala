// SPDX-License-Identifier: Apache-2.0
package stoplog.source.sim

import scala.collection.immutable.ArraySeq

/** What the drivers of one query share, as a value: two equal ones have the same future.
  *
  * @param files   the source's state, by path
  * @param offsets where each micro-batch ends that Spark has planned
  * @param commits how many of them are committed
  * @param read    which split was read at each position
  */
final case class Checkpoint(
    files: Map[String, ArraySeq[Byte]],
    offsets: Vector[Long],
    commits: Int,
    read: Map[Long, String]
) {
  override lazy val hashCode: Int = scala.runtime.ScalaRunTime._hashCode(this)

  /** Where a micro-batch begins. */
  def start(batch: Int): Long = if (batch == 0) 0L else offsets(batch - 1)
}

object Checkpoint {
  val empty: Checkpoint = Checkpoint(Map.empty, Vector.empty, commits = 0, Map.empty)
}

/** One access to the checkpoint. Others may come before it. */
sealed trait Request extends Product with Serializable
object Request {

  /** What Spark has planned, and how much of it is committed. */
  case object Start                                                 extends Request
  final case class List(directory: String)                          extends Request
  final case class Open(path: String)                               extends Request
  final case class PutIfAbsent(path: String, bytes: ArraySeq[Byte]) extends Request
  final case class Delete(path: String)                             extends Request
  final case class WriteOffset(batch: Int, end: Long)               extends Request
  final case class WriteCommit(batch: Int)                          extends Request

  /** What a driver has made of former answers. It touches nothing, so it comes along with the request before it. */
  sealed trait Note extends Request

  /** A task reads these splits. */
  final case class Read(from: Long, splits: Vector[String]) extends Note

  /** The source hears that these splits are committed, and may delete what they are of. */
  final case class Clean(from: Long, splits: Vector[String]) extends Note
}

/** What the checkpoint answers. */
sealed trait Answer extends Product with Serializable
object Answer {
  case object Done                                            extends Answer
  final case class IsMade(isMade: Boolean)                    extends Answer
  final case class Names(names: Vector[String])               extends Answer
  final case class Content(bytes: Option[ArraySeq[Byte]])     extends Answer
  final case class Begun(offsets: Vector[Long], commits: Int) extends Answer

  /** One step on the checkpoint, and what it is then. Throws a [[Broken]] when two drivers read different splits. */
  def to(request: Request, before: Checkpoint): (Checkpoint, Answer) = request match {
    case Request.Start           => before -> Begun(before.offsets, before.commits)
    case Request.List(directory) =>
      before -> Names(
        before.files.keysIterator
          .filter(_.startsWith(directory))
          .map(_.drop(directory.length))
          .toVector
          .sorted
      )
    case Request.Open(path)               => before -> Content(before.files.get(path))
    case Request.PutIfAbsent(path, bytes) =>
      val isFree = !before.files.contains(path)
      (if (isFree) before.copy(files = before.files.updated(path, bytes)) else before) -> IsMade(isFree)
    case Request.Delete(path)            => before.copy(files = before.files - path) -> Done
    case Request.WriteOffset(batch, end) =>
      val isFree = before.offsets.size == batch
      (if (isFree) before.copy(offsets = before.offsets :+ end) else before) -> IsMade(isFree)
    case Request.WriteCommit(batch) =>
      val isFree = before.commits == batch
      (if (isFree) before.copy(commits = batch + 1) else before) -> IsMade(isFree)
    case Request.Read(from, splits)  => before.copy(read = read(before.read, from, splits)) -> Done
    case Request.Clean(from, splits) =>
      positions(from, splits).foreach { case (at, split) =>
        if (!before.read.get(at).contains(split))
          throw new Broken(s"split $at is cleaned as $split, and was read as ${before.read.get(at)}")
      }
      before -> Done
  }

  private def read(before: Map[Long, String], from: Long, splits: Vector[String]) =
    positions(from, splits).foldLeft(before) { case (known, (at, split)) =>
      known.get(at) match {
        case Some(`split`) => known
        case Some(other)   => throw new Broken(s"split $at is read as $split, and was read as $other")
        case None          =>
          known.find(_._2 == split).foreach { case (other, _) =>
            throw new Broken(s"$split is read as split $at, and was read as split $other")
          }
          known.updated(at, split)
      }
    }

  private def positions(from: Long, splits: Vector[String]) =
    splits.zipWithIndex.map { case (split, n) => (from + n) -> split }
}

/** What must not happen. */
final class Broken(message: String) extends RuntimeException(message)

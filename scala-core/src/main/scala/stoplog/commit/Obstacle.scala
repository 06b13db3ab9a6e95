// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.{Causes, Errors}
import stoplog.log.{LogRecord, RecordKind, SinkState}
import stoplog.part.FinishedPart
import stoplog.storage.SinkDirectory

/** A reason why a job cannot replace files now, which the user can remove. */
private[commit] sealed trait Obstacle {

  /** Returns the error `STOPLOG_PATH_NOT_WRITABLE` with the reason and the remedy. */
  def refusal(path: String): Throwable = Errors.pathNotWritable(path, why(path))

  protected def why(path: String): String
}

private[commit] object Obstacle {

  /** Another log has decided rows that are not visible yet. */
  final case class Undone(id: String, cause: Throwable) extends Obstacle {
    override protected def why(path: String): String =
      s"its files are to be replaced, and the newest record of $id cannot be carried out first " +
        s"(${Causes.reason(cause)}): its rows could appear next to the new rows later. Start the query of " +
        "that sink, or the next batch job of that sink, to see the cause; delete " +
        s"$path/${SinkDirectory(id).path} only to give up the rows, once no process writes there"
  }

  /** `stoplog rewind` has claimed a sink's log, and has not yet decided which files to remove. */
  final case class Rewinding(sink: String) extends Obstacle {
    override protected def why(path: String): String =
      s"'stoplog rewind' is resetting sink $sink, or died meanwhile. After its death, run the command " +
        "again, or start the query of the sink"
  }

  /** A query may compact files that are to be replaced. */
  final case class Compacting(sink: String) extends Obstacle {
    override protected def why(path: String): String =
      s"its files are to be replaced, and the query of sink $sink, which compacts small files there, is " +
        "running or has died. Stop the query first. After its death, start the query again and let it end, " +
        "or run 'stoplog finalize'"
  }

  /** A query has open parts in a partition that is to be replaced. */
  final case class Writing(sink: String, bucket: String) extends Obstacle {
    override protected def why(path: String): String =
      s"the partition '$bucket' is to be replaced, and sink $sink has open parts there, whose rows would " +
        "appear next to the new rows later. Finish the parts first: let the query end with " +
        "finalizeOnTermination = always, or stop it and run 'stoplog finalize'. Or wait until the rolling " +
        "policy has closed them; a query that writes to other partitions may continue"
  }

  /** A file to be replaced cannot be hidden. */
  final case class Unhideable(file: String) extends Obstacle {
    override protected def why(path: String): String =
      s"$file is to be replaced, and cannot be hidden: its name is too long, it is on another file system " +
        "than the log, or this process may not rename or delete files there. Nothing was changed. Remove " +
        "that file, move it away, or grant the right"
  }

  /** Returns an obstacle if `rewind` is setting back a sink. */
  def rewinding(cut: Cut): Option[Obstacle] =
    cut.streams.toVector.sortBy(_._1).collectFirst {
      case (sink, newest) if Rewind.isUnderWay(newest) => Rewinding(sink)
    }

  /** Returns an obstacle if a sink has open parts in an excluded bucket.
    *
    * @param streams  the newest state of each sink
    * @param excludes the excluded buckets
    */
  def writing(streams: Map[String, SinkState], excludes: String => Boolean): Option[Obstacle] =
    streams.toVector
      .sortBy(_._1)
      .iterator
      .flatMap { case (sink, state) =>
        state.open.iterator.map(_.bucket).find(excludes).map(Writing(sink, _))
      }
      .nextOption()

  /** Returns an obstacle if the next compaction of a query may have these files as inputs. All inputs of a
    * compaction are in the newest record, or are published later.
    */
  def compacting(cut: Cut, files: Vector[FinishedPart]): Option[Obstacle] = {
    lazy val paths = files.iterator.map(_.path).toSet
    cut.streams.toVector.sortBy(_._1).collectFirst {
      case (sink, newest) if compacts(newest) && newest.state.small.exists(part => paths(part.path)) =>
        Compacting(sink)
    }
  }

  /** Returns whether no sink may compact the file of a path. */
  def compactable(cut: Cut): String => Boolean = {
    lazy val small = cut.streams.valuesIterator.flatMap(_.state.small).map(_.path).toSet
    path => !small(path)
  }

  private def compacts(newest: LogRecord): Boolean =
    newest.kind != RecordKind.Release && newest.state.settings.contains(CompactingRun.Key)
}

/** The note of a run that compacts the small files of its sink, in the settings of its records. */
private[stoplog] object CompactingRun {
  private[commit] final val Key = "merges"

  val noted: Map[String, String] = Map(Key -> "true")
}

/** The note of a run of `stoplog rewind`, in the settings of its records, until the run has decided which
  * files to remove.
  *
  * The run claims its sink's log with the note, and then looks for announced jobs that replace files. Such a
  * job announces itself, and then looks for the note. So one of the two sees the other.
  */
private[stoplog] object Rewind {
  private final val Key = "rewind"

  val noted: Map[String, String] = Map(Key -> "begun")

  /** Returns the settings without the note, for the next run that claims the log. */
  def over(settings: Map[String, String]): Map[String, String] = settings - Key

  private[commit] def isUnderWay(newest: LogRecord): Boolean = newest.state.settings.contains(Key)
}

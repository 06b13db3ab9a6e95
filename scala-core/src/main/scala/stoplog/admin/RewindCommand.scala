// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import stoplog.admin.AdminAction.{Advise, Cut, Handover, MoveAside}
import stoplog.commit.{BucketTracker, Manifests, OneStart, ReplacedSet, Rewind, SinkStores}
import stoplog.error.{StoplogArgumentException, StoplogException}
import stoplog.log.{LogRecord, SinkState}
import stoplog.part.{FinishedPart, Open, Part, Resume, RunId}

/** Goes back to the end of an older epoch.
  *
  * First all open parts are finished, so that every row that is to go is in a finished file. These files are copied
  * aside, and one record then takes them out of the readers' sight and brings back the state of that epoch. A part that
  * was open at that time has rows from before and after: its first bytes, which have not changed since (I2), become a
  * part of their own.
  */
private[admin] object RewindCommand {

  def plan(sink: SinkContext, epoch: Long): AdminPlan = {
    val newest  = sink.newest()
    val records = sink.log.all()
    val back    = Back.of(sink, records, epoch)
    val archive = sink.archive()
    refuseBeforeClaim(sink, newest, back, epoch)
    val actions = FinalizeCommand.decided(sink, newest) ++
      FinalizeCommand.open(newest, "so that none of its rows is lost") ++
      back.gone.map { part =>
        MoveAside(part.path, archive.place(part.path), part.records, s"it has rows of epochs after $epoch")
      } ++
      back.cut.map { part =>
        Cut(part.finishedPath, part.validBytes, part.records, s"its rows up to epoch $epoch stay visible")
      } ++
      Vector(
        Handover(s"sink ${sink.sinkId}", s"from epoch ${text(newest.state.lastEpoch)} back to epoch $epoch"),
        Advise("checkpoint", s"set it back so that batch ${epoch + 1} is the next that the query begins")
      )
    new AdminPlan("rewind", sink.liveness(newest), actions, carryOut(sink, newest, epoch, archive, _))
  }

  private def carryOut(
      sink: SinkContext,
      newest: LogRecord,
      epoch: Long,
      archive: Archive,
      whenAlive: WhenAlive
  ): Unit = {
    refuseBeforeClaim(sink, newest, Back.of(sink, sink.log.all(), epoch), epoch)
    sink.changing(newest, whenAlive, Rewind.noted) { change =>
      val (now, gone) = releasingIfRefused(change) {
        sink.refuseReplacing()
        change.tool.finishOpen()
        val back = Back.of(sink, sink.log.all(), epoch) // with the open parts among the finished ones
        refuseIfTaken(sink, change.stores, back.gone, epoch)
        (back, hideable(sink, change.stores, back.gone, epoch))
      }
      archive.keep(now.gone, change)
      if (now.gone.isEmpty && now.cut.isEmpty) change.tool.release(now.state)
      else {
        val calledOff = change.tool.replace(gone, now.cut.map(beginning(_, change.run)))(now.state)
        change.tool.release(state => state.copy(settings = Rewind.over(state.settings)))
        calledOff.foreach(why => throw sink.notRewindable(epoch, why))
      }
    }
  }

  private def releasingIfRefused[A](change: Change)(action: => A): A =
    try action
    catch {
      case refused @ (_: StoplogException | _: StoplogArgumentException) =>
        change.tool.release(state => state.copy(settings = Rewind.over(state.settings)))
        throw refused
    }

  private def hideable(
      sink: SinkContext,
      stores: SinkStores,
      gone: Vector[FinishedPart],
      epoch: Long
  ): ReplacedSet = ReplacedSet
    .of(gone, stores.finished)
    .fold(
      file =>
        throw sink.notRewindable(
          epoch,
          s"$file cannot be hidden: it is on another file system than the log, or this process may not rename files there"
        ),
      identity
    )

  /** Asked before the claim: parts that the newest record leaves open, or has decided alone, are no files yet. */
  private def refuseBeforeClaim(sink: SinkContext, newest: LogRecord, back: Back, epoch: Long): Unit = {
    val decided    = if (sink.log.isPublished(newest)) Vector.empty else newest.publish
    val unfinished = (newest.state.open ++ decided).map(_.finishedPath).toSet
    val finished   = back.gone.filterNot(part => unfinished(part.path))
    refuseIfTaken(sink, sink.stores(newest), finished, epoch)
  }

  /** Each file that is to go is copied first. */
  private def refuseIfTaken(
      sink: SinkContext,
      stores: SinkStores,
      gone: Vector[FinishedPart],
      epoch: Long
  ): Unit =
    gone
      .find(part => part.sizeBytes > 0 && stores.finished.sizeBytes(part.path).isEmpty)
      .foreach(part => throw sink.notRewindable(epoch, s"${part.path} has been moved away, or merged"))

  /** The part under an unused name: that of the whole part is taken. */
  private def beginning(part: Open, run: RunId): Open = part.copy(
    name = part.name match {
      case Name(prefix, number) => s"$prefix${run.uid}$number"
      case other                => s"${run.uid}-$other"
    },
    handle = Resume(part.finishedPath),
    owner = None
  )

  private val Name = "(.*-)[0-9a-f]{12}(-\\d+.*)".r

  private def text(epoch: Option[Long]): String = epoch.fold("none")(_.toString)

  /** The differences between now and the end of the epoch to go back to.
    *
    * @param end  the last record of that epoch
    * @param gone  finished parts with rows of later epochs
    * @param cut   those of them that were open then, as they were
    * @param stay  parts that were open then and have got no rows since: they have been published, or will be
    */
  final case class Back(end: LogRecord, gone: Vector[FinishedPart], cut: Vector[Open], stay: Vector[Part]) {

    /** The state of that epoch, but no number of a part is given twice, and what was open is published: a marker counts
      * it, and a merge may take it.
      */
    def state(now: SinkState): SinkState =
      end.state.copy(
        queryId = now.queryId,
        open = Vector.empty,
        live = BucketTracker.counted(end.state.live, stay),
        small = end.state.small ++ now.small.filter(part => stay.exists(_.finishedPath == part.path)),
        nextPart = now.nextPart,
        settings = OneStart.carried(now.settings, Rewind.over(end.state.settings))
      )
  }

  object Back {

    /** Error: `STOPLOG_NOT_REWINDABLE`. */
    def of(sink: SinkContext, records: Vector[LogRecord], epoch: Long): Back = {
      def refuse(why: String) = throw sink.notRewindable(epoch, why)
      if (epoch < -1) refuse("there is none; -1 is before the first")
      val asked = Option.when(epoch >= 0)(epoch)
      val at    = records.lastIndexWhere(_.state.lastEpoch == asked)
      if (at < 0)
        refuse(
          s"the log keeps epochs ${text(records.headOption.flatMap(_.state.lastEpoch))} to " +
            text(records.lastOption.flatMap(_.state.lastEpoch))
        )
      val end   = records(at)
      val later = records.drop(at + 1)
      later.find(record => record.replaces && !sink.log.isCalledOff(record)).foreach { record =>
        refuse(s"parts have been merged or replaced since, by record ${record.seq}")
      }
      later.find(!_.follow.isEmpty).foreach { record =>
        refuse(s"markers or manifests have been written since, for record ${record.seq}")
      }
      if (later.exists(_.state.queryId != end.state.queryId)) refuse("it belonged to another query")
      val open     = end.state.open.map(part => part.finishedPath -> part).toMap
      val newest   = records.last
      val shown    = later.filterNot(sink.log.isCalledOff)
      val finished = shown.flatMap(record => record.publish.map(part => (part: Part) -> record)) ++
        newest.state.open.map(part =>
          (part: Part) -> newest
        ) // which are finished before anything else is done
      val (stay, gone) = finished.partition { case (part, _) =>
        open.get(part.finishedPath).exists(_.records == part.records)
      }
      val cut = gone.flatMap { case (part, _) => open.get(part.finishedPath) }.filter(_.records > 0)
      cut.find(!_.beside.isEmpty).foreach { part =>
        refuse(s"the rows of ${part.finishedPath} up to then were not all in the part itself, and are gone")
      }
      if (newest.state.open.nonEmpty && Manifests.noted(newest.state.settings) != Manifests.Off)
        refuse("its files are listed in manifests, which would name those that go")
      if (cut.nonEmpty && !sink.cuts)
        refuse("a part was open that has got rows since, and on this storage it cannot be cut")
      Back(
        end,
        gone.map { case (part, record) =>
          FinishedPart(
            part.bucket,
            part.name,
            part.sizeBytes,
            part.records,
            record.state.lastEpoch.getOrElse(-1L)
          )
        },
        cut,
        stay.map(_._1)
      )
    }
  }
}

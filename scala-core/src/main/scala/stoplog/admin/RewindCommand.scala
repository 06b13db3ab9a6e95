// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import stoplog.admin.AdminAction.{Advise, Cut, Handover, MoveAside}
import stoplog.commit.{BucketTracker, Manifests, OneStart, ReplacedSet, Rewind, SinkStores}
import stoplog.log.{LogRecord, SinkState}
import stoplog.part.{FinishedPart, Open, Part, Resume, RunId}

/** Rewinds a sink to the end of an older epoch.
  *
  * First, all open parts are finished, so that every row to remove is in a finished file. These files are
  * copied to `aside/`. Then one record hides the files and restores the state of the epoch. A part that was
  * open at this time has rows from before and after. Its first bytes, which are unchanged since then (I2),
  * become a separate part.
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
        MoveAside(
          part.path,
          archive.place(part.path),
          part.records,
          s"the file has rows of epochs after $epoch"
        )
      } ++
      back.cut.map { part =>
        Cut(part.finishedPath, part.validBytes, part.records, s"its rows up to epoch $epoch stay visible")
      } ++
      Vector(
        Handover(s"sink ${sink.sinkId}", s"from epoch ${text(newest.state.lastEpoch)} back to epoch $epoch"),
        Advise("checkpoint", s"reset the checkpoint, so that the query continues with batch ${epoch + 1}")
      ) ++
      sink.targets().map { target =>
        Advise(
          s"target $target",
          "the next start of the query, or the command announce, delivers the removals; until then a table " +
            "still contains the files"
        )
      }
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
      val (now, gone) = change.releasingIfRefused {
        sink.refuseReplacing()
        change.tool.finishOpen()
        val back = Back.of(sink, sink.log.all(), epoch) // with the open parts among the finished parts
        (back, hideable(sink, change.stores, stored(sink, change.stores, back.gone, epoch), epoch))
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
          s"$file cannot be hidden: it is on another file system than the log, or this process may not " +
            "rename files there"
        ),
      identity
    )

  /** Called before the claim. Parts open or only decided in the newest record are not yet files. */
  private def refuseBeforeClaim(sink: SinkContext, newest: LogRecord, back: Back, epoch: Long): Unit = {
    val decided    = if (sink.log.isPublished(newest)) Vector.empty else newest.publish
    val unfinished = (newest.state.open ++ decided).map(_.finishedPath).toSet
    val finished   = back.gone.filterNot(part => unfinished(part.path))
    stored(sink, sink.stores(newest), finished, epoch): Unit
  }

  /** Returns the files to remove with their stored lengths, which are longer than the recorded lengths if the
    * files have valid-length files. Checks that each file exists, because the file is copied first.
    */
  private def stored(
      sink: SinkContext,
      stores: SinkStores,
      gone: Vector[FinishedPart],
      epoch: Long
  ): Vector[FinishedPart] = gone.map { part =>
    if (part.sizeBytes == 0) part
    else
      stores.finished
        .sizeBytes(part.path)
        .fold(throw sink.notRewindable(epoch, s"${part.path} has been moved away, or compacted")) { bytes =>
          part.copy(sizeBytes = bytes)
        }
  }

  /** Returns the part with an unused name, because the whole part keeps its own name. */
  private def beginning(part: Open, run: RunId): Open = part
    .ownedBy(None)
    .copy(
      name = part.name match {
        case Name(prefix, number) => s"$prefix${run.uid}$number"
        case other                => s"${run.uid}-$other"
      },
      handle = Resume(part.finishedPath)
    )

  private val Name = "(.*-)[0-9a-f]{12}(-\\d+.*)".r

  private def text(epoch: Option[Long]): String = epoch.fold("none")(_.toString)

  /** The differences between now and the end of the target epoch.
    *
    * @param end  the last record of the epoch
    * @param gone finished parts with rows of later epochs
    * @param cut  parts in `gone` that were open at this time, with their state then
    * @param stay parts that were open at this time without later rows; already published, or to be published
    */
  final case class Back(end: LogRecord, gone: Vector[FinishedPart], cut: Vector[Open], stay: Vector[Part]) {

    /** Returns the state of the epoch with two changes. Part numbers are never reused. Parts open at this
      * time are published, so markers count their rows, and a compaction may include the parts.
      */
    def state(now: SinkState): SinkState =
      end.state.copy(
        newest = end.state.newest.copy(queryId = now.queryId),
        open = Vector.empty,
        live = BucketTracker.counted(end.state.live, stay),
        small = end.state.small ++ now.small.filter(part => stay.exists(_.finishedPath == part.path)),
        nextPart = now.nextPart,
        settings = OneStart.carried(now.settings, Rewind.over(end.state.settings))
      )
  }

  object Back {

    /** Computes the differences. Error: `STOPLOG_NOT_REWINDABLE`. */
    def of(sink: SinkContext, records: Vector[LogRecord], epoch: Long): Back = {
      def refuse(why: String) = throw sink.notRewindable(epoch, why)
      if (epoch < -1) refuse("epochs start at 0, and -1 is the state before epoch 0")
      val target = Option.when(epoch >= 0)(epoch)
      val at     = records.lastIndexWhere(_.state.lastEpoch == target)
      if (at < 0)
        refuse(
          s"the log keeps epochs ${text(records.headOption.flatMap(_.state.lastEpoch))} to " +
            text(records.lastOption.flatMap(_.state.lastEpoch))
        )
      val end   = records(at)
      val later = records.drop(at + 1)
      later.find(_.replaces).foreach { record =>
        refuse(s"parts have been compacted or replaced since, by record ${record.seq}")
      }
      later.find(!_.follow.isEmpty).foreach { record =>
        refuse(s"markers or manifests have been written since, for record ${record.seq}")
      }
      if (later.exists(_.state.queryId != end.state.queryId)) refuse("the epoch belongs to another query")
      val open     = end.state.open.map(part => part.finishedPath -> part).toMap
      val newest   = records.last
      val finished = later.flatMap(record => record.publish.map(part => (part: Part) -> record)) ++
        newest.state.open.map(part => (part: Part) -> newest) // these parts are finished first
      val (stay, gone) = finished.partition { case (part, _) =>
        open.get(part.finishedPath).exists(_.records == part.records)
      }
      val cut = gone.flatMap { case (part, _) => open.get(part.finishedPath) }.filter(_.records > 0)
      cut.find(!_.spooled.isEmpty).foreach { part =>
        refuse(s"some rows of ${part.finishedPath} were in spool files, which no longer exist")
      }
      if (newest.state.open.nonEmpty && Manifests.noted(newest.state.settings) != Manifests.Off)
        refuse("manifests list its files, and would still name the hidden files")
      if (cut.nonEmpty && !sink.cuts)
        refuse("an open part has received rows since, and this storage cannot truncate the part")
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

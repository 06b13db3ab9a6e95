// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import java.time.{Instant, ZoneOffset}
import java.time.format.DateTimeFormatter

import scala.annotation.tailrec

import stoplog.admin.AdminAction.{Advise, Handover, KeepRecord, MoveAside, Repeat}
import stoplog.commit.{BucketTracker, ForeignQuery, GoingBack, Planned, SinkIdentity, StartCheck}
import stoplog.error.Errors
import stoplog.fault.Step
import stoplog.log.{LogRecord, QueryEpoch, RecordCodec, RecordNames, SinkState}
import stoplog.part.{FinishedPart, Pending, Resume}
import stoplog.storage.{FileStore, NewPart, ReplacedFiles, SinkDirectory}

/** Restarts a log. The log continues in the same place with a record without an owner. So one record decides,
  * and a running driver is fenced as usual.
  */
private[admin] object ResetCommand {

  def plan(sink: SinkContext, open: OpenRows): AdminPlan = {
    val newest  = sink.newestAfterGap()
    val archive = sink.archive()
    val records = sink.log.all()
    val rows    = open match {
      case OpenRows.Finish    => FinalizeCommand.open(newest, "its rows become visible")
      case OpenRows.MoveAside =>
        sink.refuseIfBound(newest)
        newest.state.open.map { part =>
          MoveAside(
            part.finishedPath,
            archive.place(part.finishedPath),
            part.records,
            "its rows stay hidden"
          )
        }
    }
    val kept = records.map { record =>
      KeepRecord(s"record ${record.seq}", archive.placeOfRecord(record.seq), "a record of the previous log")
    }
    val actions = FinalizeCommand.decided(sink, newest) ++ rows ++ kept ++ Vector(
      Handover(s"sink ${sink.sinkId}", "to the next query that starts, at any batch"),
      Advise(
        sink.path,
        s"finished files stay: ${GoingBack.of(records, GoingBack.Scope.All).describe}. A query whose " +
          "checkpoint has not passed these epochs writes their rows again: restore the checkpoint, or use " +
          "rewind, instead of a reset; or remove the files"
      )
    ) ++ unmarked(sink, newest, open)
    new AdminPlan("reset", sink.liveness(newest), actions, carryOut(sink, newest, records, archive, open, _))
  }

  /** Reports rows that no marker will count: without an owner, the log has no buckets or rules. */
  private def unmarked(sink: SinkContext, newest: LogRecord, open: OpenRows): Vector[AdminAction] = {
    val finished = if (open == OpenRows.Finish) newest.state.open else Vector.empty
    BucketTracker.counted(newest.state.live, finished).filter(_.added.rows > 0).map { live =>
      Advise(
        if (live.bucket.isEmpty) sink.path else live.bucket,
        s"no marker counts ${live.added.rows} of its rows: inform the readers that wait for a marker"
      )
    }
  }

  private def carryOut(
      sink: SinkContext,
      newest: LogRecord,
      records: Vector[LogRecord],
      archive: Archive,
      open: OpenRows,
      whenAlive: WhenAlive
  ): Unit = sink.changing(newest, whenAlive) { change =>
    records.foreach { record =>
      change.tools.retry(() =>
        change.stores.files.putIfAbsent(archive.placeOfRecord(record.seq), RecordCodec.encode(record))
      )
      change.tools.faults.at(Step.LogKept)
    }
    open match {
      case OpenRows.Finish =>
        change.tool.finishOpen()
        change.tool.release(_ => ownerless)
      case OpenRows.MoveAside =>
        archive.keepClosed(change.tool.closedParts(), change) // not named by any later record
        change.tool.release(_ => ownerless)
    }
  }

  /** The state without an owner, from which the next run takes over nothing. */
  private val ownerless =
    SinkState(QueryEpoch(SinkState.NextQuery, None), Vector.empty, nextPart = 0, settings = Map.empty)
}

/** Changes the owner of a sink, and plans additional writers. */
private[admin] object AdoptCommand {

  /** @param onForeign whether the query may write rows of the log again
    */
  def adopt(sink: SinkContext, owner: NewOwner, onForeign: ForeignQuery): AdminPlan = {
    // An empty id means no owner: the next query would take over nothing, and open rows would be lost.
    if (owner.queryId.trim.isEmpty || owner.nextBatch < 0)
      throw Errors.invalidOptions(
        Seq(
          s"query '${owner.queryId}' at batch ${owner.nextBatch} is invalid: pass an id, and a batch " +
            "of 0 or more."
        )
      )
    val newest  = sink.newest()
    val planned = new Planned(owner.nextBatch, owner.digests)
    val check   =
      new StartCheck(SinkIdentity(sink.path, sink.sinkId, owner.queryId), () => sink.log.all())
    def handOver(state: SinkState) = check.handOver(state, onForeign, planned)
    val after                      = handOver(newest.state)
    val last                       = newest.state.lastEpoch.fold("none")(_.toString)
    val handover                   = Handover(
      s"sink ${sink.sinkId}",
      s"from query ${newest.state.queryId} after epoch $last to query ${owner.queryId} at batch " +
        s"${owner.nextBatch}"
    )
    val again =
      if (onForeign == ForeignQuery.AdoptAndRepeat) repeated(newest, after, sink.log.all()) else None
    new AdminPlan(
      command(onForeign),
      sink.liveness(newest),
      FinalizeCommand.decided(sink, newest) ++ again :+ handover,
      // decided again with the claim: the newest record may be called off by its recovery
      whenAlive =>
        sink.changing(newest, whenAlive) { change =>
          val handed = change.releasingIfRefused(handOver(change.tool.state))
          change.tool.release(_.copy(newest = handed))
        }
    )
  }

  private def command(onForeign: ForeignQuery): String =
    if (onForeign == ForeignQuery.AdoptAndRepeat) "adoptAndRepeat" else "adopt"

  /** Returns the rows that the query will write again. */
  private def repeated(newest: LogRecord, after: QueryEpoch, kept: Vector[LogRecord]): Option[AdminAction] = {
    val isOwn = newest.state.queryId == after.queryId || GoingBack.leftBy(kept, after.queryId).isDefined
    val scope = if (isOwn) GoingBack.Scope.Own(after.queryId, after.next) else GoingBack.Scope.All
    Option(GoingBack.of(kept, scope))
      .filter(again =>
        again.epochs.isDefined && (isOwn || after.next <= newest.state.lastEpoch.getOrElse(-1L))
      )
      .map { again =>
        Repeat(s"query ${after.queryId}", again.rows, s"the query writes again: ${again.describe}")
      }
  }

  def fork(sink: SinkContext): AdminPlan = {
    val newest = sink.newest()
    val free   = unused(sink.sinkId, sink.sinkIds().toSet, 2)
    new AdminPlan(
      "fork",
      sink.liveness(newest),
      Vector(
        Advise(
          s"sinkId=$free",
          "set this option on the new query; each file name contains a unique run id, so names never " +
            s"collide with files of sink ${sink.sinkId}, which stays as it is"
        )
      ),
      _ => ()
    )
  }

  @tailrec
  private def unused(sinkId: String, taken: Set[String], n: Int): String =
    if (taken(s"$sinkId-$n")) unused(sinkId, taken, n + 1) else s"$sinkId-$n"
}

/** The archive of one tool run, for hidden files that must be kept.
  *
  * @param root its directory, below the sink's path
  */
private[admin] final case class Archive(root: String) {

  /** Returns the location of an archived file, with a name not matched by patterns for data files. */
  def place(path: String): String = s"$root/$path${ReplacedFiles.Unseen}"

  def placeOfRecord(seq: Long): String = s"$root/log/${RecordNames.name(seq)}"

  /** Copies the committed bytes of closed parts that are not visible. All copies are durable on return. */
  def keepClosed(parts: Vector[Pending], change: Change): Unit = {
    import change.tools.{faults, parallel, retry}
    parallel.map(parts.filter(_.sizeBytes > 0)) { part =>
      retry(() => if (!isKept(part, change)) keepClosed(part, change))
      faults.at(Step.PartKept)
    }
    ()
  }

  /** Returns whether a killed run has already copied the part. */
  private def isKept(part: Pending, change: Change): Boolean =
    change.stores.finished.sizeBytes(place(part.finishedPath)).contains(part.sizeBytes)

  private def keepClosed(part: Pending, change: Change): Unit = {
    val store  = change.stores.parts
    val to     = place(part.finishedPath)
    val made   = NewPart(FileStore.directoryOf(to), FileStore.nameOf(to), change.run)
    val copy   = store.takeOver(Resume(part.handle.token), part.sizeBytes, made)
    val closed =
      try copy.finish()
      finally copy.close()
    store.publish(closed, part.sizeBytes, to): Unit
  }

  /** Copies finished parts. All copies are durable on return. */
  def keep(parts: Vector[FinishedPart], change: Change): Unit = {
    import change.tools.{faults, parallel, retry}
    parallel.map(parts.filter(_.sizeBytes > 0)) { part =>
      retry(() => change.stores.finished.keep(part.path, place(part.path)))
      faults.at(Step.PartKept)
    }
    ()
  }
}

private[admin] object Archive {

  /** Creates a new archive for each plan. */
  def of(sinkId: String, nowMillis: Long): Archive =
    Archive(SinkDirectory(sinkId).aside(Stamp.format(Instant.ofEpochMilli(nowMillis))))

  private val Stamp = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmssSSS'Z'").withZone(ZoneOffset.UTC)
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.mutable
import scala.util.control.NonFatal

import stoplog.commit.JobCommit
import stoplog.log.{LogRecord, LogRules, RecordKind}
import stoplog.part.{Part, Publish, RunId}
import stoplog.storage.HiddenNames

/** What must hold at every step, whoever is alive. Throws a [[Violation]] in the actor that breaks it.
  *
  * It sees the storage and the source, and knows nothing of what the drivers believe.
  *
  * @param store  where a part is copied aside, a reader may take it away in the middle of that: its rows are in both places
  * @param rules  of the log
  * @param sinkId whose log, and whose rows
  */
final class Oracle(
    source: Source,
    format: SimFormat,
    val announced: Announced,
    takes: PowerTakes,
    store: StoreKind,
    rules: LogRules = LogRules.standard,
    sinkId: String = DiskLog.Main
) {
  private val sight         = new ReaderView
  private val decidedRows   = mutable.Set.empty[String]
  private val decidedEpochs = mutable.LinkedHashMap.empty[Long, Batch]
  private val toPublish     = mutable.Map.empty[String, Long]
  private val replacing     = mutable.Map.empty[String, Long]
  private val calledOffFor  = mutable.Set.empty[(String, Long)] // hidden late, and restored
  private val undeletable   = mutable.Map.empty[String, Long]
  private var newestRecord  = Option.empty[LogRecord]
  private val lookedAt      = mutable.Set.empty[String]
  private val besideRows    = mutable.Set.empty[String]
  private val overwritten   = mutable.Map.empty[Long, Set[String]]
  private val givenUp       = mutable.Set.empty[Long]
  private val everDecided   = mutable.Set.empty[(Long, String)]
  private val setBack       = new RewoundRows(sight)
  private var before        = Option.empty[BeforeRecord]
  private var runs          = 0

  /** All that it remembers. Records never change. */
  def fingerprint(cached: Fingerprint.Cached): Long = Fingerprint.of(
    Vector[Any](
      sight.fingerprint,
      announced.fingerprint,
      setBack.fingerprint,
      newestRecord.fold(0L)(cached.of(_)),
      decidedRows,
      decidedEpochs.toVector,
      everDecided,
      (toPublish, replacing, calledOffFor, undeletable),
      (lookedAt, besideRows, overwritten, givenUp, runs)
    )
  )

  /** The newest record that decides anything. */
  def newest: Option[LogRecord] = newestRecord

  def visible: Int = sight.visible

  def isVisible(file: String): Boolean = sight.wasVisible(file)

  /** The batches that are in the log, one after the other. */
  def decidedBatches: Seq[Batch] = decidedEpochs.values.toSeq

  /** Whether a reader has taken the file. */
  def isTaken(name: String): Boolean = sight.takenFile(name).isDefined

  def runStarted(): Unit = runs += 1

  /** A record has been created; it decides if nothing newer was there. */
  def recorded(disk: Disk, bytes: Array[Byte]): Unit = {
    val seq = WholeRecords.stored(bytes).decision.seq
    if (newestRecord.forall(_.seq < seq)) {
      if (takes == PowerTakes.Names) before = Some(remembered(seq))
      decided(WholeRecords.of(disk.log(sinkId), bytes), disk)
    }
    val most  = rules.records + rules.deltas.atMost + 2 * rules.batchSize + 4 * runs
    val there = disk.log(sinkId).records.size
    if (there > most) violated(s"the log holds $there records, more than $most")
  }

  /** Records have been removed: each of the newest ones can be put together. */
  def trimmed(disk: Disk): Unit = {
    val records = disk.log(sinkId).records
    newestRecord.foreach { newest =>
      records
        .rangeFrom(newest.seq - rules.records + 1)
        .valuesIterator
        .foreach(WholeRecords.of(disk.log(sinkId), _))
    }
  }

  /** A record is called off: what it replaces stays, and its parts are never shown. */
  def calledOff(seq: Long): Unit = newestRecord.filter(_.seq == seq).foreach { record =>
    toPublish --= record.publish.map(_.finishedPath)
    record.replace.foreach { part => replacing -= part.path; calledOffFor += part.path -> seq }
    announced.calledOff(record)
  }

  /** A file that was there before anybody came. */
  def found(name: String, inode: Inode): Unit = {
    val rows = inode.counted
    decidedRows ++= rows
    besideRows ++= rows
    sight.shows(name, inode, rows)
  }

  /** A record of a batch job, or of a batch compaction, has been created.
    *
    * A job's rows are those of its parts. What an overwrite takes is what is visible now.
    */
  def recordedBeside(log: String, disk: Disk, bytes: Array[Byte]): Unit = {
    val record = WholeRecords.of(disk.log(log), bytes)
    record.publish.filter(_.sizeBytes > 0).foreach { part =>
      val isNew = toPublish.put(part.finishedPath, part.sizeBytes).isEmpty
      if (isNew) {
        val inode = disk.part(part.handle.token).getOrElse(violated(s"${part.handle.token} is not there"))
        decidedRows ++= inode.rows(part.sizeBytes.toInt)
        besideRows ++= inode.rows(part.sizeBytes.toInt)
      }
    }
    record.replace
      .map(_.path)
      .find(path => disk.hidden.contains(path) || path.split('/').exists(HiddenNames.isHidden))
      .foreach(path => violated(s"${Oracle.NamesHidden}: $path, by $log"))
    if (record.kind.isInstanceOf[RecordKind.Epoch]) {
      if (log == DiskLog.Replace) overwritten.update(record.seq, record.replace.map(_.path).toSet)
    } else {
      compactedWhole(log, record, disk)
      record.replace.foreach { part =>
        if (replacing.put(part.path, record.seq).exists(_ != record.seq))
          violated(s"${part.path} is replaced by two records")
      }
    }
  }

  /** A merge has the rows of its inputs, which are visible when it is decided, or were at the last look. */
  private def compactedWhole(log: String, record: LogRecord, disk: Disk): Unit = {
    val merged = record.publish
      .flatMap(part => RecordedRows.inPart(record, part.handle.token, part.sizeBytes, disk))
      .toSet
    if (merged != replacedRows(record, disk))
      violated(s"${Oracle.OtherRows}: record ${record.seq} of $log")
  }

  /** A batch job has died whose rows nobody makes visible: `docs/storage/s3.md` says so. */
  def givesUpJobs(): Unit = decidedRows.filterInPlace(row => sight.isSeen(row) || !besideRows(row))

  /** Every row of a directory that nobody works on is there. */
  def whole(): Unit = {
    overwrittenIsGone()
    val missing = decidedRows.filterNot(sight.isSeen)
    if (missing.nonEmpty) violated(s"rows are missing: ${missing.toVector.sorted.mkString(", ")}")
  }

  /** What was visible when an overwrite was decided, and was not taken then, is not visible when that has been carried out. */
  private def overwrittenIsGone(): Unit = for {
    (job, paths) <- overwritten if !givenUp(job)
    path         <- paths
    inode        <- sight.file(path)
    row          <- inode.counted.find(sight.isShown)
  } violated(s"'$row' of $path is visible, which $job has overwritten")

  /** A power loss has taken a record that nobody had forced to the disk. */
  def unrecorded(seq: Long): Unit = before.filter(_.seq == seq).foreach { last =>
    newestRecord = last.newest
    decidedRows.filterInPlace(last.rows)
    decidedEpochs.filterInPlace((epoch, _) => last.epochs(epoch))
    toPublish.filterInPlace((name, _) => last.toPublish(name))
    replacing.filterInPlace((name, _) => last.replacing(name))
    undeletable.clear()
    undeletable ++= last.undeletable
  }

  /** Bytes from `from` on are about to change. */
  def changing(inode: Inode, from: Int): Unit = {
    inode.finished.foreach(name => violated(s"$name changes at $from, after it became visible"))
    undeletable.get(inode.token).filter(from < _).foreach { valid =>
      violated(s"${inode.token} changes at $from, below its valid length $valid (I2)")
    }
  }

  def deleting(token: String): Unit =
    if (undeletable.contains(token)) violated(s"$token is deleted, and the newest record names it (I5)")

  def deletingBeside(token: String): Unit =
    if (newestRecord.exists(_.state.spoolFiles(token)))
      violated(s"$token is deleted, and the newest record names it (I5)")

  def publishing(inode: Inode, name: String): Unit = {
    toPublish.get(name) match {
      case None       => violated(s"$name becomes visible, and no record says so (I3)")
      case Some(size) =>
        val counts = inode.valid.getOrElse(inode.length)
        if (counts != size) violated(s"$name becomes visible with $counts bytes, not $size")
        if (inode.durable < size) violated(s"$name becomes visible before it is durable")
    }
    val text = inode.text(0, inode.valid.getOrElse(inode.length))
    if (!text.endsWith("\n")) violated(s"$name ends in the middle of a row: '$text'")
    try format.check(text)
    catch { case NonFatal(e) => violated(s"$name is torn: $e") }
    val rows = inode.counted
    rows.foreach { row =>
      if (!decidedRows(row)) violated(s"$name shows '$row', which no epoch in the log has")
      if (!name.startsWith(Rejects.bucketOf(row, source) + "/"))
        violated(s"$name shows '$row' of another bucket")
    }
    sight.shows(name, inode, rows)
  }

  /** A power loss has taken the name. */
  def vanished(inode: Inode, name: String): Unit = sight.vanished(name, inode.counted)

  /** A reader takes a finished part away. */
  def taken(name: String, inode: Inode): Unit = {
    val rows = inode.counted
    if (store == StoreKind.Copying && newestRecord.exists(_.replace.exists(_.path == name)) && lookedAt(name))
      sight.excuses(rows)
    sight.takes(name, inode, rows)
  }

  /** Somebody has looked whether a file is there, and how long it is. */
  def looked(name: String): Unit = if (!isTaken(name)) lookedAt += name

  /** How long a file is, or was when it became visible. */
  def sizeBytes(name: String): Option[Long] = sight.file(name).map(_.length.toLong)

  /** A finished part goes out of sight for the record `seq` of that log. */
  def settingAside(log: String, seq: Long, name: String, inode: Inode): Unit =
    if (log == DiskLog.Replace && overwritten.contains(seq)) {
      if (!overwritten.get(seq).exists(_(name)))
        violated(s"$name is overwritten by record $seq, which does not name it (I3)")
      sight.hides(inode.counted)
    } else replacedBy(seq, name, inode)

  private def replacedBy(seq: Long, name: String, inode: Inode): Unit = {
    if (!replacing.get(name).contains(seq) && !calledOffFor(name -> seq))
      violated(s"$name goes out of sight, and record $seq does not say so (I3)")
    sight.hides(inode.counted)
  }

  /** For an overwrite that is called off. */
  def puttingBack(from: Aside, inode: Inode): Unit = {
    if (from.log == DiskLog.Replace && overwritten.contains(from.seq)) givenUp += from.seq
    sight.showsAgain(from.path, inode.counted)
  }

  /** What was set aside is deleted: it was overwritten, or each of its rows is visible, or aside for another record. */
  def forgetting(from: Aside, inode: Inode, disk: Disk): Unit =
    if (from.log == DiskLog.Replace && overwritten.contains(from.seq)) {
      if (givenUp(from.seq)) violated(s"${from.path} is deleted, and record ${from.seq} was called off")
      sight.takes(from.path, inode, inode.counted)
    } else forgettingCompacted(inode, disk)

  private def forgettingCompacted(inode: Inode, disk: Disk): Unit = {
    val isKept = disk.kept.valuesIterator.exists(_ eq inode)
    val aside  = disk.aside.valuesIterator.flatMap(other => other.counted).toSet
    inode.counted.foreach { row =>
      if (!sight.isSeen(row) && !aside(row) && !(isKept && setBack.has(row)))
        violated(s"${inode.token} is deleted, and '$row' is nowhere else")
    }
  }

  /** A driver has told the engine that the epoch is committed. */
  def answered(run: RunId, epoch: Long): Unit =
    if (!everDecided(epoch -> source.begun(run, epoch).identity))
      violated(s"run ${run.value} calls epoch $epoch committed, and no record has the rows that it read")

  /** After a clean end with everything published: each row of each committed batch, once. */
  def complete(disk: Disk, checkpoint: Checkpoint): Unit = {
    overwrittenIsGone()
    val missing = source.until(checkpoint.committedUntil).map(_.text).filterNot(sight.isSeen)
    if (missing.nonEmpty) violated(s"rows are missing: ${missing.mkString(", ")}")
    if (!decidedRows.forall(sight.isSeen)) violated("decided rows are hidden")
    sight.rows.find(!decidedRows(_)).foreach(row => violated(s"'$row' is visible, of no epoch in the log"))
    announced.complete(disk.notes.contains)
    newestRecord.filter(_.state.open.nonEmpty).foreach(_ => violated("parts are open after the end"))
    disk.log(sinkId).records.lastOption.foreach { case (seq, _) =>
      if (!newestRecord.exists(_.seq == seq)) violated(s"record $seq is the last one, and decided nothing")
    }
  }

  /** After a sweep with all writers gone for long. What a batch compaction that died has not finished stays until one finds
    * something to merge.
    */
  def swept(disk: Disk): Unit = {
    val unfinished = Seq(disk.staged, disk.beside, disk.uploads).flatMap(_.keys)
    val left       = unfinished.filterNot(Disk.sinkOf(_).startsWith(JobCommit.Prefix)) ++ disk.aside.keys
    if (left.nonEmpty) violated(s"left behind: ${left.mkString(", ")}")
  }

  private def remembered(seq: Long): BeforeRecord = BeforeRecord(
    seq,
    newestRecord,
    decidedRows.toSet,
    decidedEpochs.keySet.toSet,
    toPublish.keySet.toSet,
    replacing.keySet.toSet,
    undeletable.toMap
  )

  private def decided(record: LogRecord, disk: Disk): Unit = {
    record.kind match {
      case RecordKind.Epoch(epoch) =>
        val batch = source.begun(record.run, epoch)
        val from  = decidedEpochs.valuesIterator.map(_.until).maxOption.getOrElse(0)
        if (decidedEpochs.put(epoch, batch).nonEmpty) violated(s"epoch $epoch is decided twice")
        if (batch.from != from)
          violated(s"epoch $epoch begins at offset ${batch.from}, and the records hold what is before $from")
        batch.rows.foreach(row => decidedRows.add(row.text))
        everDecided.add(epoch -> batch.identity)
      case _ => newestRecord.filter(RewoundRows.isBy(record, _)).foreach(_ => setBackBy(record))
    }
    if (newestRecord.exists(RewoundRows.isReset(record, _)))
      RewoundRows.unkept(record, disk, sinkId).foreach(seq => violated(s"record $seq is not kept beside"))
    record.publish.foreach { part =>
      if (part.sizeBytes > 0 && toPublish.put(part.finishedPath, part.sizeBytes).nonEmpty)
        violated(s"${part.finishedPath} is to be published by two records")
    }
    announced.decided(record)
    record.replace.foreach { part =>
      if (replacing.put(part.path, record.seq).nonEmpty) violated(s"${part.path} is replaced by two records")
    }
    undeletable.clear()
    record.state.open.foreach(part => needed(part.handle, part.validBytes, disk))
    record.publish.foreach(part => needed(part.handle, part.sizeBytes, disk))
    newestRecord = Some(record)
    conserved(record, disk)
  }

  /** The epochs behind that of the record are no more: what is visible of them goes with it, and may come again. */
  private def setBackBy(record: LogRecord): Unit = {
    val gone = decidedEpochs.keySet.toVector.filter(_ > record.state.lastEpoch.getOrElse(-1L))
    val rows = gone.flatMap(decidedEpochs(_).rows).map(_.text).toSet
    decidedEpochs --= gone
    decidedRows --= rows
    setBack.adds(rows, record).foreach(violated(_))
  }

  private def needed(handle: Publish, bytes: Long, disk: Disk): Unit =
    disk.filesOf(handle.token).foreach(undeletable.update(_, bytes))

  /** Every decided row is visible, taken, or in exactly one part of the newest record. */
  private def conserved(record: LogRecord, disk: Disk): Unit = {
    val replaced = replacedRows(record, disk)
    val hidden   = mutable.Set.empty[String]
    def holds(part: Part, token: String, bytes: Long, besides: Vector[String]): Unit = {
      val rows = besides ++ RecordedRows.inPart(record, token, bytes, disk)
      if (rows.size != part.records)
        violated(s"$token is recorded with ${part.records} rows and has ${rows.size}")
      rows.foreach { row =>
        if (!decidedRows(row)) violated(s"record ${record.seq} has '$row', of no decided epoch, in $token")
        if ((sight.isSeen(row) && !replaced(row)) || !hidden.add(row))
          violated(s"record ${record.seq} has '$row' again, in $token")
      }
    }
    record.state.open.foreach(part =>
      holds(part, part.handle.token, part.validBytes, RecordedRows.beside(part, disk))
    )
    record.publish.filter(_.sizeBytes > 0).foreach { part =>
      holds(part, part.handle.token, part.sizeBytes, Vector.empty)
    }
    if (!replaced.filterNot(setBack.has).subsetOf(hidden))
      violated(s"record ${record.seq} replaces rows that it does not publish")
    // What a driver that slept has set aside again comes back with it, or by a sweep.
    val aside = disk.aside.valuesIterator.flatMap(inode => inode.counted).toSet
    val lost  =
      decidedRows.filterNot(row => hidden(row) || sight.isSeen(row) || besideRows(row) || aside(row))
    if (lost.nonEmpty)
      violated(s"record ${record.seq} (${record.kind.word}) has lost ${lost.toVector.sorted.mkString(", ")}")
  }

  /** All of them are visible, or a reader has taken them since the last look. */
  private def replacedRows(record: LogRecord, disk: Disk): Set[String] = record.replace.flatMap { part =>
    disk.finished.get(part.path).map(inode => inode.counted).getOrElse {
      val inode = sight
        .takenFile(part.path)
        .getOrElse(violated(s"record ${record.seq} replaces ${part.path}, which is not there"))
      if (!lookedAt(part.path))
        violated(s"record ${record.seq} replaces ${part.path}, which was taken before")
      val rows = inode.counted
      if (store == StoreKind.Copying) sight.excuses(rows)
      rows
    }
  }.toSet

  private def violated(message: String): Nothing = throw new Violation(message)
}

private[sim] object Oracle {
  // the beginnings of what is said of a merge, and of a record that replaces a file which readers do not see
  val OtherRows: String   = "a record publishes other rows than it replaces"
  val NamesHidden: String = "a record replaces a hidden file"
}

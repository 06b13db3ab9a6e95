// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.mutable
import scala.util.control.NonFatal

import stoplog.format.bulk.LineBlocks
import stoplog.log.{LogRecord, RecordCodec, RecordKind}
import stoplog.part.{Open, Part}

/** What must hold at every step, whoever is alive. Throws a [[Violation]] in the actor that breaks it.
  *
  * It sees the storage and the source, and knows nothing of what the drivers believe.
  */
final class Oracle(source: Source, format: SimFormat, announced: Announced) {
  private val decidedRows   = mutable.Set.empty[String]
  private val decidedEpochs = mutable.Set.empty[Long]
  private val visibleRows   = mutable.Set.empty[String]
  private val everVisible   = mutable.Map.empty[String, Inode]
  private val toPublish     = mutable.Map.empty[String, Long]
  private val replacing     = mutable.Map.empty[String, Long]
  private val undeletable   = mutable.Map.empty[String, Long]
  private var newestRecord  = Option.empty[LogRecord]
  private var runs          = 0

  /** The newest record that decides anything. */
  def newest: Option[LogRecord] = newestRecord

  def visible: Int = visibleRows.size

  def isVisible(file: String): Boolean = everVisible.contains(file)

  def runStarted(): Unit = runs += 1

  /** A record has been created; it decides if nothing newer was there. */
  def recorded(disk: Disk, bytes: Array[Byte]): Unit = {
    val record =
      RecordCodec.decode(bytes).fold(p => throw new Violation(s"an unreadable record: $p"), identity)
    if (newestRecord.forall(_.seq < record.seq)) decided(record, disk)
    val most = Oracle.KeptRecords + 10 + 4 * runs
    if (disk.records.size > most) violated(s"the log holds ${disk.records.size} records, more than $most")
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
    if (newestRecord.exists(_.state.sideFiles(token)))
      violated(s"$token is deleted, and the newest record names it (I5)")

  def publishing(inode: Inode, name: String): Unit = {
    if (everVisible.contains(name)) violated(s"$name becomes visible a second time")
    toPublish.get(name) match {
      case None       => violated(s"$name becomes visible, and no record says so (I3)")
      case Some(size) =>
        if (inode.length != size) violated(s"$name becomes visible with ${inode.length} bytes, not $size")
        if (inode.durable < size) violated(s"$name becomes visible before it is durable")
    }
    val text = inode.text(0, inode.length)
    if (!text.endsWith("\n")) violated(s"$name ends in the middle of a row: '$text'")
    try format.check(text)
    catch { case NonFatal(e) => violated(s"$name is torn: $e") }
    inode.rows(inode.length).foreach { row =>
      if (!decidedRows(row)) violated(s"$name shows '$row', which no epoch in the log has")
      if (!visibleRows.add(row)) violated(s"$name shows '$row' a second time")
      if (!name.startsWith(row.takeWhile(_ != ':') + "/")) violated(s"$name shows '$row' of another bucket")
    }
    everVisible.update(name, inode)
  }

  /** A finished part goes out of sight for the record `seq`. */
  def settingAside(seq: Long, name: String, inode: Inode): Unit = {
    if (!replacing.get(name).contains(seq))
      violated(s"$name goes out of sight, and record $seq does not say so (I3)")
    visibleRows --= inode.rows(inode.length)
  }

  def puttingBack(inode: Inode): Unit = inode.rows(inode.length).foreach { row =>
    if (!visibleRows.add(row)) violated(s"${inode.token} comes back and shows '$row' a second time")
  }

  def forgetting(inode: Inode): Unit = inode.rows(inode.length).foreach { row =>
    if (!visibleRows(row)) violated(s"${inode.token} is deleted, and '$row' is nowhere else")
  }

  /** After a clean end with everything published: each row of each committed batch, once. */
  def complete(disk: Disk): Unit = {
    val all =
      source.batches.iterator.filter(batch => source.isCommitted(batch.id)).flatMap(_.rows).map(_.text)
    val missing = all.filterNot(visibleRows).toVector
    if (missing.nonEmpty) violated(s"rows are missing: ${missing.mkString(", ")}")
    if (visibleRows.size != decidedRows.size) violated("decided rows are hidden")
    announced.complete(disk.notes.contains)
    newestRecord.filter(_.state.open.nonEmpty).foreach(_ => violated("parts are open after the end"))
    disk.records.lastOption.foreach { case (seq, _) =>
      if (!newestRecord.exists(_.seq == seq)) violated(s"record $seq is the last one, and decided nothing")
    }
  }

  /** After a sweep with all writers gone for long. */
  def swept(disk: Disk): Unit =
    for (left <- Seq(disk.staged, disk.beside, disk.aside) if left.nonEmpty)
      violated(s"left behind: ${left.keys.mkString(", ")}")

  private def decided(record: LogRecord, disk: Disk): Unit = {
    record.kind match {
      case RecordKind.Epoch(epoch) =>
        if (!decidedEpochs.add(epoch)) violated(s"epoch $epoch is decided twice")
        source.batch(epoch).rows.foreach(row => decidedRows.add(row.text))
      case _ => ()
    }
    record.publish.foreach { part =>
      if (part.sizeBytes > 0 && toPublish.put(part.finishedPath, part.sizeBytes).nonEmpty)
        violated(s"${part.finishedPath} is to be published by two records")
    }
    announced.decided(record)
    record.replace.foreach { part =>
      if (replacing.put(part.path, record.seq).nonEmpty) violated(s"${part.path} is replaced by two records")
    }
    undeletable.clear()
    record.state.open.foreach(part => undeletable.update(part.handle.token, part.validBytes))
    record.publish.foreach(part => undeletable.update(part.handle.token, part.sizeBytes))
    newestRecord = Some(record)
    conserved(record, disk)
  }

  /** Every decided row is visible or in exactly one part of the newest record. */
  private def conserved(record: LogRecord, disk: Disk): Unit = {
    val replaced = replacedRows(record, disk)
    val hidden   = mutable.Set.empty[String]
    def holds(part: Part, token: String, bytes: Long, besides: Vector[String]): Unit = {
      val rows = besides ++ inPart(record, token, bytes, disk)
      if (rows.size != part.records)
        violated(s"$token is recorded with ${part.records} rows and has ${rows.size}")
      rows.foreach { row =>
        if (!decidedRows(row)) violated(s"record ${record.seq} has '$row', of no decided epoch, in $token")
        if ((visibleRows(row) && !replaced(row)) || !hidden.add(row))
          violated(s"record ${record.seq} has '$row' again, in $token")
      }
    }
    record.state.open.foreach(part => holds(part, part.handle.token, part.validBytes, beside(part, disk)))
    record.publish.filter(_.sizeBytes > 0).foreach { part =>
      holds(part, part.handle.token, part.sizeBytes, Vector.empty)
    }
    if (!replaced.subsetOf(hidden)) violated(s"record ${record.seq} replaces rows that it does not publish")
    if (hidden.size + visibleRows.size - replaced.size != decidedRows.size) {
      val lost = decidedRows.diff(hidden).diff(visibleRows).toVector.sorted
      violated(s"record ${record.seq} (${record.kind.word}) has lost ${lost.mkString(", ")}")
    }
  }

  /** All of them are visible, or it would not be known that they are not elsewhere. */
  private def replacedRows(record: LogRecord, disk: Disk): Set[String] = record.replace.flatMap { part =>
    val inode =
      disk.finished.getOrElse(
        part.path,
        violated(s"record ${record.seq} replaces ${part.path}, which is not there")
      )
    inode.rows(inode.length)
  }.toSet

  private def inPart(record: LogRecord, token: String, bytes: Long, disk: Disk): Vector[String] =
    if (bytes == 0) Vector.empty
    else {
      val inode =
        disk.staged.getOrElse(token, violated(s"record ${record.seq} names $token, which is not there"))
      if (inode.durable < bytes) violated(s"$token is recorded with $bytes bytes, not durable")
      inode.rows(bytes.toInt)
    }

  private def beside(part: Open, disk: Disk): Vector[String] = part.beside.files.flatMap { file =>
    val inode = disk.beside.getOrElse(file.token, violated(s"${file.token} is recorded and not there"))
    if (inode.durable != file.sizeBytes || inode.length != file.sizeBytes)
      violated(
        s"${file.token} is recorded with ${file.sizeBytes} bytes, and has ${inode.durable} durable ones"
      )
    LineBlocks.beside(inode.bytes.take(inode.length))
  }

  private def violated(message: String): Nothing = throw new Violation(message)
}

private object Oracle {
  val KeptRecords = 100
}

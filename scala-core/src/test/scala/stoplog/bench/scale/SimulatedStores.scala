// SPDX-License-Identifier: Apache-2.0
package stoplog.bench.scale

import java.io.{InputStream, OutputStream}

import stoplog.part.{LastWriter, Open, PartRows, Publish, Resume, RunId}
import stoplog.plan.TaskPlans
import stoplog.sink.{CommitOutcome, Staged}
import stoplog.storage._

/** Files of the local disk, each call of which is counted as the simulated storage would answer it. */
private[scale] final class MeteredFiles(files: FileStore, storage: SimulatedStorage, meter: Meter)
    extends FileStore {

  /** The bytes of all files that were created. */
  var written: Long = 0

  override def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit = {
    var found = 0L
    files.visit(directory, prefix) { file =>
      found += 1
      each(file)
    }
    storage.list(meter, found)
  }

  override def names(directory: String): Vector[String] = {
    val found = files.names(directory)
    storage.list(meter, found.size.toLong)
    found
  }

  override def walk(directory: String)(enter: String => Boolean): Vector[FileInfo] = {
    val found = files.walk(directory)(enter)
    storage.list(meter, found.size.toLong)
    found
  }

  override def stat(path: String): Option[FileInfo] = {
    storage.look(meter)
    files.stat(path)
  }

  override def open(path: String): InputStream = {
    storage.read(meter, files.stat(path).fold(0L)(_.bytes))
    files.open(path)
  }

  override def read(path: String): Option[Array[Byte]] = {
    val found = files.read(path)
    found.fold(storage.look(meter))(bytes => storage.read(meter, bytes.length.toLong))
    found
  }

  override def create(path: String)(content: OutputStream => Unit): Unit =
    files.create(path)(counted(content))

  override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome =
    files.createIfAbsent(path)(counted(content))

  override def mark(path: String): PutOutcome = {
    storage.mark(meter)
    files.mark(path)
  }

  override def move(from: String, to: String): MoveOutcome = throw new UnsupportedOperationException(from)
  override def duplicate(from: String, to: String): Unit   = throw new UnsupportedOperationException(from)
  override def deleteTree(directory: String): Unit  = throw new UnsupportedOperationException(directory)
  override def deleteEmpty(directory: String): Unit = ()

  override def delete(paths: Seq[String]): Unit = {
    storage.delete(meter, paths.size.toLong)
    files.delete(paths)
  }

  override def isClosed(path: String): Option[Boolean] = Some(true)
  override def describe(path: String): String          = path
  override def capabilities: FileCapabilities          = files.capabilities.copy(durability = Durability.Disk)

  private def counted(content: OutputStream => Unit)(out: OutputStream): Unit = {
    var bytes = 0L
    content(new OutputStream {
      override def write(byte: Int): Unit = {
        out.write(byte)
        bytes += 1
      }
      override def write(from: Array[Byte], offset: Int, length: Int): Unit = {
        out.write(from, offset, length)
        bytes += length
      }
    })
    written += bytes
    storage.create(meter, bytes)
  }
}

/** What a driver asks of the parts' store while none of them ends. Tasks, and so the bytes of parts, are not simulated.
  *
  * @param all the parts, and the directories that they are in
  */
private[scale] final class MeteredParts(all: ScaleParts, storage: SimulatedStorage, meter: Meter)
    extends PartStore {

  override def claimed(open: Resume): Resume = storage.claimed(open)

  override def fence(run: RunId, open: Vector[Open]): Vector[FenceOutcome] = storage.fence(meter, run, open)

  override def stagedOf(token: String): Set[String] = storage.stagedOf(token)

  /** All of them were written long ago, so that a sweep looks each up in the newest state. */
  override def staged(): Vector[Staged] = {
    storage.list(meter, all.count.toLong, all.buckets.toLong)
    Vector.tabulate(all.count)(number => Staged(all.staged(number), modifiedAtMillis = 1))
  }

  override def create(part: NewPart): PartOutput                                   = unused
  override def resume(open: Resume, validBytes: Long): PartOutput                  = unused
  override def discard(token: String): Unit                                        = unused
  override def publish(p: Publish, bytes: Long, path: String): CommitOutcome       = unused
  override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput = unused

  private def unused: Nothing = throw new UnsupportedOperationException("no part begins or ends here")
}

/** Counts what a driver sends apart from the object that all tasks get. */
private[scale] final class CountingCarrier {
  var bytes: Long = 0

  def carry(data: Array[Byte]): TaskPlans.Carried = {
    bytes += data.length
    CountingCarrier.Sent
  }
}

private object CountingCarrier {

  /** No task of the simulation asks for it. */
  object Sent extends (() => Array[Byte]) with AutoCloseable with Serializable {
    override def apply(): Array[Byte] = throw new UnsupportedOperationException
    override def close(): Unit        = ()
  }
}

/** One open part for each task and bucket, as a record names them. */
private[scale] final class ScaleParts(size: ScaleSize, storage: SimulatedStorage, run: RunId) {

  /** Whether the first epoch has begun them. */
  var areOpen: Boolean = false

  def count: Int   = if (areOpen) size.parts else 0
  def buckets: Int = size.buckets

  /** As the first epoch leaves it. */
  def open(slot: Int, bucket: Int, nowMillis: Long): Open = {
    val number = slot * buckets + bucket
    val part   = newPart(number)
    val handle = storage.handle(part, unique(number))
    Open(
      part.bucket,
      part.name,
      handle,
      10000,
      PartRows(100, nowMillis, nowMillis),
      LastWriter(slot, Some(run))
    )
  }

  def staged(number: Int): String = storage.staged(newPart(number), unique(number))

  private def newPart(number: Int): NewPart = NewPart(hour(number % buckets), s"part-${run.uid}-$number", run)

  /** A directory for each hour, as by default. */
  private def hour(bucket: Int): String = {
    val day = bucket / 24
    f"dt=2026-${1 + day / 28}%02d-${1 + day % 28}%02d/hour=${bucket % 24}%02d"
  }

  private def unique(number: Int): String = f"$number%016x"
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.bench.scale

import org.apache.hadoop.conf.Configuration

import stoplog.fault.Faults
import stoplog.part.{Open, Resume, RunId}
import stoplog.storage.{FenceOutcome, NewPart, PartLayout}
import stoplog.storage.hadoop.{HadoopFiles, HadoopSettings}
import stoplog.storage.s3.{S3PartStore, S3Settings}

/** A storage as the simulation knows it: the requests that each call of a store makes, and how long their answers take.
  *
  * The requests are those of the production stores, as `make bench` counts them at real servers. The times are assumptions,
  * which the page names.
  */
private[scale] sealed abstract class SimulatedStorage(val name: String) {

  /** Creates a file of so many bytes, whole and durable. */
  def create(meter: Meter, bytes: Long): Unit

  /** Reads a whole file. */
  def read(meter: Meter, bytes: Long): Unit

  /** Asks whether there is a file. */
  def look(meter: Meter): Unit

  /** Creates an empty file. */
  def mark(meter: Meter): Unit

  /** Lists so many names in so many directories. */
  def list(meter: Meter, names: Long, directories: Long = 1): Unit

  def delete(meter: Meter, files: Long): Unit

  /** See [[stoplog.storage.PartStore.fence]]. */
  def fence(meter: Meter, run: RunId, open: Vector[Open]): Vector[FenceOutcome]

  /** See [[stoplog.storage.PartStore.claimed]]. */
  def claimed(open: Resume): Resume

  /** See [[stoplog.storage.PartStore.stagedOf]]. */
  def stagedOf(token: String): Set[String]

  /** The handle of a part of some kilobytes, as it stands in a record. */
  def handle(part: NewPart, unique: String): Resume

  /** The name under which a listing finds that part. */
  def staged(part: NewPart, unique: String): String
}

private[scale] object SimulatedStorage {
  val all: Seq[SimulatedStorage] = Seq(S3, Hdfs)

  private val layout = PartLayout.Staging("main")
  private val Page   = 1000L // names in one answer

  private def pages(names: Long): Long = ((names + Page - 1) / Page).max(1)

  /** As seen by a client in the same region. */
  object S3 extends SimulatedStorage("S3") {
    private val HeadMillis    = 20.0
    private val GetMillis     = 30.0
    private val PutMillis     = 50.0
    private val ListMillis    = 80.0
    private val DeleteMillis  = 50.0
    private val BytesPerMilli = 90000.0 // of one connection

    // Only for calls that ask no server.
    private lazy val store = {
      val files = new HadoopFiles("s3a://none", new HadoopSettings(new Configuration()))
      new S3PartStore(files, "main", S3Settings(), Faults.none)
    }

    override def create(meter: Meter, bytes: Long): Unit =
      meter.ask("PUT", 1, PutMillis + bytes / BytesPerMilli)

    override def read(meter: Meter, bytes: Long): Unit = {
      look(meter)
      meter.ask("GET", 1, GetMillis + bytes / BytesPerMilli)
    }

    override def look(meter: Meter): Unit = meter.ask("HEAD", 1, HeadMillis)

    override def mark(meter: Meter): Unit = create(meter, 0)

    override def list(meter: Meter, names: Long, directories: Long): Unit =
      meter.ask("LIST", pages(names), pages(names) * ListMillis)

    override def delete(meter: Meter, files: Long): Unit =
      if (files > 0) meter.ask("DELETE", pages(files), pages(files) * DeleteMillis)

    override def fence(meter: Meter, run: RunId, open: Vector[Open]): Vector[FenceOutcome] =
      store.fence(run, open)

    override def claimed(open: Resume): Resume = store.claimed(open)

    override def stagedOf(token: String): Set[String] = store.stagedOf(token)

    override def handle(part: NewPart, unique: String): Resume = Resume(
      s"""{"v":1,"base":"${base(part, unique)}","target":"${part.bucket}/${part.name}",""" +
        s""""tail":{"at":"${staged(part, unique)}","bytes":10000}}"""
    )

    override def staged(part: NewPart, unique: String): String = s"${base(part, unique)}.tail-$unique"

    private def base(part: NewPart, unique: String): String =
      s"${layout.root}/${part.bucket}/.${part.name}.${part.run.uid}-$unique"
  }

  /** With a NameNode that is not overloaded, and DataNodes in the same data center. */
  object Hdfs extends SimulatedStorage("HDFS") {
    private val CallMillis    = 1.0
    private val BlockMillis   = 5.0 // through a pipeline of DataNodes, brought to their disks
    private val BytesPerMilli = 200000.0
    private val Threads       = 16  // of the store, for many short calls

    override def create(meter: Meter, bytes: Long): Unit = {
      call(meter, 5) // create, addBlock, fsync, complete, rename
      meter.ask("block", 1, BlockMillis + bytes / BytesPerMilli)
    }

    override def read(meter: Meter, bytes: Long): Unit = {
      call(meter, 1)
      meter.ask("block", 1, BlockMillis + bytes / BytesPerMilli)
    }

    override def look(meter: Meter): Unit = call(meter, 1)

    override def mark(meter: Meter): Unit = call(meter, 2) // create, complete

    override def list(meter: Meter, names: Long, directories: Long): Unit =
      call(meter, pages(names).max(directories))

    override def delete(meter: Meter, files: Long): Unit = call(meter, files)

    override def fence(meter: Meter, run: RunId, open: Vector[Open]): Vector[FenceOutcome] = {
      meter.together(Threads)(call(meter, 2L * open.size)) // recoverLease, getFileInfo
      open.map(_ => FenceOutcome.Owned)
    }

    override def claimed(open: Resume): Resume = open

    override def stagedOf(token: String): Set[String] = Set(token)

    override def handle(part: NewPart, unique: String): Resume = Resume(staged(part, unique))

    override def staged(part: NewPart, unique: String): String = layout.inProgress(part, unique)

    private def call(meter: Meter, count: Long): Unit =
      if (count > 0) meter.ask("NameNode", count, count * CallMillis)
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Step
import stoplog.storage.Growth
import stoplog.storage.hadoop.Trimming
import stoplog.storage.hadoop.CapabilityProbe.Capabilities
import stoplog.storage.hadoop.CapabilityProbe.Exclusion

/** A kind of storage: one section of the matrix' page. */
sealed abstract class Storage(val name: String, val reader: String) extends Product with Serializable {
  def layouts: Vector[Layout]   = Layout.all
  def contents: Vector[Content] = Vector(Content.Plain, Content.Gzip, Content.Blocks)

  /** Those of the fates that are not the same here. */
  def fates: Vector[CrashMode] = CrashMode.all

  /** Those that queries pass here, whatever they write. */
  def steps: Vector[Step] = Steps.ofQueries

  /** What batch jobs do here. */
  def batchModes: Vector[BatchMode] = Vector(BatchMode.Overwrite)

  /** Those that such a job passes. */
  final def batchSteps(mode: BatchMode): Vector[Step] = mode.steps.filter { step =>
    steps.contains(step) || Steps.replacing(step) || Steps.ofJobsEnds(step)
  }

  /** Which of `last` occurrences of a step a long run tries, where it cannot try them all. */
  def occurrences(fate: CrashMode, last: Int): Seq[Int] = fate match {
    case CrashMode.Killed => Seq(1, last)
    case CrashMode.Frozen => Seq((last + 1) / 2)
    case CrashMode.Woken  => Seq((last + 1) / 2, last)
  }

  /** The steps that an ordinary run tries, where a long one tries all. */
  def sample: Vector[Step] = steps

  /** What other suites try here, as a line of the page. */
  def besides: Option[String] = None

  def newPlace(layout: Layout, content: Content): Place
}

object Storage {
  case object Local extends Storage("Local disks", "plain java.nio") {

    /** The scope of an overwrite changes no step, and so needs no other storage. */
    override def batchModes: Vector[BatchMode] = Vector(BatchMode.Overwrite, BatchMode.Partitions)

    override def newPlace(layout: Layout, content: Content): Place = new LocalPlace(layout, content)
  }

  case object Hdfs extends Storage("HDFS", "Hadoop's own client") {

    /** Where a file is open, has just been closed, or is about to be renamed. */
    override def sample: Vector[Step] =
      Vector(Step.MidWrite, Step.AfterSync, Step.RecordWritten, Step.MidPublish)

    override def besides: Option[String] = Some(
      "`HdfsServersSuite` restarts the NameNode and the DataNode under a query, and ends processes with `kill -9`. " +
        TwoDrivers
    )

    override def newPlace(layout: Layout, content: Content): Place = HdfsPlace.create(layout, content)
  }

  /** The variant that never truncates files. */
  case object UncutHdfs
      extends Storage(
        "HDFS with useTruncate=false",
        "Hadoop's client, which reads the bytes of a file up to the length in its `.valid-length` file"
      ) {
    override def sample: Vector[Step] = OfVariants

    override def newPlace(layout: Layout, content: Content): Place =
      HdfsPlace.create(layout, content, Trimming.ValidLength)
  }

  case object S3 extends Storage("S3", "the client of Amazon's SDK") {
    override def layouts: Vector[Layout]   = Vector(Layout.Staging)
    override def contents: Vector[Content] = Vector(Content.Heavy, Content.Gzip, Content.HeavyBlocks)

    /** Nothing there tells a process that has died from one that stands still. */
    override def fates: Vector[CrashMode] = Vector(CrashMode.Killed, CrashMode.Woken)

    /** A cell moves some 100 MiB. */
    override def occurrences(fate: CrashMode, last: Int): Seq[Int] =
      if (fate == CrashMode.Woken) Seq(last) else super.occurrences(fate, last)

    /** A record is one request. */
    override def steps: Vector[Step] = super.steps.filterNot(_ == Step.RecordWritten)

    /** Where a part becomes visible; `S3SinkSuite` kills a process in the middle of an upload. */
    override def sample: Vector[Step] = Vector(Step.MidPublish)

    override def batchModes: Vector[BatchMode] = Vector(BatchMode.Append, BatchMode.Overwrite)

    override def besides: Option[String] = Some(
      "`S3FaultMatrixSuite` lets requests of each kind fail: by 503, 500, a reset, an answer that is lost, and none " +
        s"at all. `S3ServersSuite` ends the server and processes with `kill -9`. $TwoDrivers"
    )

    override def newPlace(layout: Layout, content: Content): Place = S3Place.create(content)
  }

  /** As the file systems of some object stores. */
  sealed abstract class Weak(name: String, scheme: String, val abilities: Capabilities)
      extends Storage(name, "plain java.nio") {
    override def fates: Vector[CrashMode]      = Vector(CrashMode.Killed, CrashMode.Woken)
    override def batchModes: Vector[BatchMode] = Vector(BatchMode.Append, BatchMode.Overwrite)
    override def sample: Vector[Step]          = OfVariants

    override def newPlace(layout: Layout, content: Content): Place =
      new WeakPlace(scheme, abilities, layout, content)
  }

  case object AppendOnly
      extends Weak(
        "A file system that can append and not cut",
        "appendonly",
        Capabilities(Growth.AppendOnly, Exclusion.ByRename)
      )

  case object CreateOnly
      extends Weak(
        "A file system that cannot append",
        "createonly",
        Capabilities(Growth.CreateOnly, Exclusion.ByCreate)
      ) {

    /** So none of its rows are beside it then. */
    override def contents: Vector[Content] = super.contents.filterNot(_ == Content.Blocks)
  }

  /** In the order of the page. */
  val all: Vector[Storage] = Vector(Local, Hdfs, UncutHdfs, S3, AppendOnly, CreateOnly)

  /** Where it shows what becomes of bytes that were not committed. */
  private val OfVariants = Vector(Step.MidWrite, Step.AfterSync, Step.MidPublish)

  private val TwoDrivers =
    "`TwoDriversSuite` lets two drivers work at once: the older one publishes nothing."
}

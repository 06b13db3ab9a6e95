// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Step

/** A kind of storage that files are read from, and on which the source's state is: a section of the matrix' page. */
sealed abstract class SourceStorage(val name: String) extends Product with Serializable {

  /** Those that a source passes here. */
  def steps(mode: SourceMode): Vector[Step] = Step.ofSources.filter(mode.passes)

  /** Which of `last` occurrences of a step a long run tries. */
  def occurrences(last: Int): Seq[Int] = Seq(1, (last + 1) / 2, last).distinct

  /** Those that an ordinary run tries, and one of the modes. */
  def sample: Vector[Step] = Step.ofSources

  /** How the page says so. */
  def extent: String = "The first, the middle and the last occurrence of each step are tried"

  def newPlace(): SourcePlace
}

object SourceStorage {
  case object Local extends SourceStorage("local disks") {
    override def occurrences(last: Int): Seq[Int] = 1 to last

    override def extent: String =
      "Every occurrence of each step is tried, and every pair of steps besides: the successor of a killed process is " +
        "killed, too"

    override def newPlace(): SourcePlace = new LocalSourcePlace
  }

  /** A rename is one step of the NameNode. */
  case object Hdfs extends SourceStorage("HDFS") {

    /** Where a file of the state has just been written, and where files are put away. */
    override def sample: Vector[Step] = Vector(Step.SeenWritten, Step.AfterSplits, Step.FileCleaned)

    override def steps(mode: SourceMode): Vector[Step] = super.steps(mode).filterNot(_ == Step.MidArchive)
    override def newPlace(): SourcePlace               = HadoopSourcePlace.hdfs()
  }

  /** A state file is one conditional request: a crash before it leaves none. */
  case object S3 extends SourceStorage("S3") {
    override def steps(mode: SourceMode): Vector[Step] =
      super.steps(mode).filterNot(_ == Step.MidArchive)

    /** A cell takes some seconds. */
    override def occurrences(last: Int): Seq[Int] = Seq((last + 1) / 2)

    override def sample: Vector[Step] = Vector(Step.SeenWritten, Step.AfterSplits, Step.FileCleaned)

    override def extent: String = "The middle occurrence of each step is tried"

    override def newPlace(): SourcePlace = HadoopSourcePlace.s3()
  }

  /** In the order of the page. */
  val all: Vector[SourceStorage] = Vector(Local, Hdfs, S3)
}

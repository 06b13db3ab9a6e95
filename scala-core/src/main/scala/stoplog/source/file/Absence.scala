// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.util.BitSet

import scala.annotation.tailrec

import stoplog.source.file.SeenTable.SeenEntry

/** The only rule for files that listings do not find. A file is forgotten, and would be read again, only if
  * listings of its directory have not found the file for a configured time.
  *
  *  - A listing of all directories is evidence. A listing of only the changed directories, or a failed
  *    listing, is not.
  *  - The directory must be the directory in which the file was read, and the listing must have included the
  *    file: see [[Evidence]].
  *  - Within a run, time is measured by a monotonic clock. Between two runs, time is the difference of two
  *    readings of the wall clock. At most half of the configured time counts then: one wrong reading proves
  *    nothing.
  *  - Absent files form one generation: files that become absent later wait until the previous generation is
  *    forgotten.
  *
  * Pure: holds no clock and does not access a storage.
  */
private[file] final class Absence(forgetMillis: Long) {
  private var members                  = new SeenTable
  private var count                    = 0
  private var absentMillis             = 0L
  private var evidenceAt: Option[Long] = None
  private var credit                   = 0L

  /** The number of files and directories that are absent. */
  def size: Int = count

  /** The time for which all members have been absent. */
  def millis: Long = absentMillis

  def hashes: Iterator[PathHash] = members.present.map(_.hash)

  /** Called when a listing has found a file. Returns whether the file was absent before. */
  def found(hash: PathHash): Boolean = count > 0 && members.find(hash) >= 0 && remove(hash)

  /** Restores the members that a previous run has recorded.
    *
    * @param awayMillis the time since the recording, by the wall clock
    */
  def restore(hashes: Iterator[PathHash], millis: Long, awayMillis: Long): Unit = {
    hashes.foreach(add)
    absentMillis = millis
    credit = awayMillis.max(0L).min(forgetMillis / 2)
  }

  /** Returns the hashes to forget after a listing.
    *
    * @param unsighted     the entries that the listing has not found
    * @param elapsedMillis a reading of a monotonic clock
    */
  def judge(evidence: Evidence, unsighted: () => Iterator[SeenEntry], elapsedMillis: Long): Vector[PathHash] =
    evidence match {
      case Evidence.Nothing         => Vector.empty
      case Evidence.Listed(doubted) =>
        absentMillis += evidenceAt.fold(credit)(elapsedMillis - _)
        evidenceAt = Some(elapsedMillis)
        credit = 0
        val isDue = count > 0 && absentMillis >= forgetMillis
        if (!isDue && count > 0) Vector.empty
        else {
          val all = doubted.below(unsighted)
          if (isDue && !doubted.isEmpty)
            unsighted().filter(all.contains).foreach(entry => found(entry.hash))
          val gone = hashes.toVector
          restart(all, unsighted)
          gone
        }
    }

  private def restart(doubted: DoubtedTags, unsighted: () => Iterator[SeenEntry]): Unit = {
    val before = members
    members = new SeenTable
    count = 0
    absentMillis = 0
    unsighted().filterNot(entry => doubted.contains(entry) || before.find(entry.hash) >= 0).foreach { entry =>
      add(entry.hash)
    }
  }

  private def add(hash: PathHash): Unit = {
    members.put(hash, FileIdentity(0, 0))
    count += 1
  }

  private def remove(hash: PathHash): Boolean = {
    members.forget(hash)
    count -= 1
    true
  }
}

/** The value of a listing as evidence that files are absent. */
private[file] sealed trait Evidence
private[file] object Evidence {

  /** No evidence about any file: the root does not exist, or a finder returned no file. */
  case object Nothing extends Evidence

  /** No evidence about files in the directories with these tags, or in directories below: another directory
    * has the path, or the rules exclude the directory.
    */
  final case class Listed(doubted: DoubtedTags) extends Evidence
}

/** Tags of directories whose listing proves no absence. */
private[file] final class DoubtedTags private (private val bits: BitSet) {
  def isEmpty: Boolean = bits.isEmpty

  /** Whether the entry is a file in such a directory, or such a directory. */
  def contains(entry: SeenEntry): Boolean =
    bits.get(entry.hash.tag) || entry.directory.exists(directory => bits.get(directory.tag))

  /** Returns these tags with the tags of all directories below that the listing has not found. */
  def below(unsighted: () => Iterator[SeenEntry]): DoubtedTags =
    if (isEmpty) this
    else DoubtedTags.spread(bits, unsighted)((above, directory) => above -> directory)
}

private[file] object DoubtedTags {
  val none: DoubtedTags = new DoubtedTags(new BitSet)

  def of(directories: Iterable[String]): DoubtedTags = {
    val bits = new BitSet(PathHash.Tags)
    directories.foreach(directory => bits.set(PathHash.tagOf(directory)))
    new DoubtedTags(bits)
  }

  /** Returns a check for directories that contain absent files, directly or in a directory below. */
  def withAbsent(unsighted: () => Iterator[SeenEntry]): String => Boolean = {
    val bits = new BitSet(PathHash.Tags)
    unsighted().filter(_.directory.isEmpty).foreach(entry => bits.set(entry.hash.tag))
    val all = spread(bits, unsighted)((above, directory) => directory -> above)
    directory => all.bits.get(PathHash.tagOf(directory))
  }

  /** @param step maps the tags of a directory and its parent to a pair of tags: the doubt spreads from the
    *             first to the second
    */
  private def spread(bits: BitSet, unsighted: () => Iterator[SeenEntry])(
      step: (Int, Int) => (Int, Int)
  ): DoubtedTags = {
    val steps = unsighted().flatMap(entry => entry.directory.map(of => step(entry.hash.tag, of.tag))).toVector
    @tailrec def all(reached: BitSet): BitSet = {
      val next = reached.clone().asInstanceOf[BitSet]
      steps.foreach { case (from, to) => if (next.get(from)) next.set(to) }
      if (next == reached) reached else all(next)
    }
    new DoubtedTags(all(bits))
  }
}

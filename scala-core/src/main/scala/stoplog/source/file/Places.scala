// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.collection.mutable

import stoplog.error.{Errors, Log}
import stoplog.source.file.Monitoring.OtherDirectory
import stoplog.storage.{DirectoryId, Found}

/** Checks whether the directories of a source are the directories in which files were read. Decides the
  * evidence of a listing, and reports the directories that the source waits for.
  *
  * A directory is another directory if the storage identifies it by another number. If no file is absent, or
  * if the first listing finds an unchanged file, the directory counts as the same place with a new number.
  */
private[file] final class Places(settings: Enumeration) {
  import Places._
  import settings.monitoring.absence

  private val known   = mutable.HashMap.empty[String, Place]
  private var visits  = mutable.HashMap.empty[String, Visit]
  private var leftOut = mutable.HashSet.empty[String]
  private var others  = Set.empty[String] // as found by the last listing of all directories
  private var awaited = Vector.empty[Awaited]
  private var waitingSince: Option[Long] = None

  /** The number of directories that the source waits for. */
  def awaitedDirectories: Int = awaited.size

  def beginListing(): Unit = {
    visits = mutable.HashMap.empty
    leftOut = mutable.HashSet.empty
  }

  /** Called when the listing enters a directory. */
  def entered(directory: String, id: Option[DirectoryId]): Visit = {
    val visit = new Visit(id)
    visits(directory) = visit
    visit
  }

  /** Called when the listing finds a directory, but skips its content. */
  def leavesOut(directory: String): Unit = leftOut += directory

  /** Whether a listing of the changed directories differs from the last listing of all directories.
    * Differences are another directory, or a missing directory that a path names.
    */
  def needWholeListing(seen: SeenFiles): Boolean = {
    val differing = (different(seen).map(_._1) ++ missing(seen)).toSet
    remember(seen)
    differing != others
  }

  /** Returns the evidence of a listing of all directories. Error: `STOPLOG_SOURCE_AWAY`.
    *
    * @param root          the kind of the root
    * @param elapsedMillis a reading of a monotonic clock
    */
  def judge(root: Option[Found.Kind], seen: SeenFiles, elapsedMillis: Long): Evidence = {
    visits.foreach { case (directory, visit) =>
      seen.markFound(hashOf(directory)).flatMap(SeenDirectory.unapply) match {
        case Some(was) if was.isReplaced && !isOther(directory, visit.id, seen) =>
          accept(directory, visit.id, seen)
        case _ => ()
      }
    }
    val before = seen.directory(hashOf(""))
    if (root.isEmpty && absence.onOther == OtherDirectory.Wait && before.isDefined)
      nothing(Awaited("", IsMissing, before.exists(_.file.isDefined)), seen, elapsedMillis)
    else {
      val doubted = doubtful(seen, elapsedMillis)
      remember(seen)
      Evidence.Listed(DoubtedTags.of(doubted ++ leftOut))
    }
  }

  /** Forgets directories. A forgotten directory is new if it appears again. */
  def forget(gone: Vector[PathHash]): Unit = if (gone.nonEmpty) {
    val hashes = gone.toSet
    known.filterInPlace((_, place) => !hashes(place.hash))
    ()
  }

  /** Returns the evidence of a finder's result.
    *
    * @param files the number of files that the finder has returned
    */
  def judgeFinder(files: Long, seen: SeenFiles, elapsedMillis: Long): Evidence =
    if (files == 0 && absence.onOther == OtherDirectory.Wait)
      nothing(Awaited("", FindsNothing, isLimited = false), seen, elapsedMillis)
    else {
      await(Vector.empty, elapsedMillis)
      Evidence.Listed(DoubtedTags.none)
    }

  private def nothing(whole: Awaited, seen: SeenFiles, elapsedMillis: Long): Evidence = {
    await(Vector(whole).filter(_ => seen.unsighted.exists(_.directory.isEmpty)), elapsedMillis)
    Evidence.Nothing
  }

  /** Returns the directories that the source waits for. Accepts all other changed directories. */
  private def doubtful(seen: SeenFiles, elapsedMillis: Long): Vector[String] = {
    val differing = different(seen)
    val away      = missing(seen)
    if (differing.isEmpty && away.isEmpty) {
      others = Set.empty
      await(Vector.empty, elapsedMillis)
      Vector.empty
    } else {
      val hasAbsent         = DoubtedTags.withAbsent(() => seen.unsighted)
      val (waits, accepted) = differing.partition { case (directory, visit) =>
        absence.onOther == OtherDirectory.Wait && hasAbsent(directory) && !isSame(directory, visit, seen)
      }
      waits.foreach { case (directory, _) => replaced(directory, seen) }
      accepted.foreach { case (directory, visit) => accept(directory, visit.id, seen) }
      others = (waits.map(_._1) ++ away).toSet
      val all = waits.map { case (directory, _) => Awaited(directory, IsOther, isLimited = true) } ++
        away.filter(hasAbsent).map(Awaited(_, IsMissing, isLimited = true))
      await(all, elapsedMillis)
      all.map(_.directory)
    }
  }

  /** Whether unchanged files confirm the directory. If the directory is already marked as replaced, its
    * unchanged files may be files that were read from the other directory.
    */
  private def isSame(directory: String, visit: Visit, seen: SeenFiles): Boolean =
    visit.isConfirmed && !seen.directory(hashOf(directory)).exists(_.isReplaced)

  private def replaced(directory: String, seen: SeenFiles): Unit = {
    val hash = hashOf(directory)
    seen.directory(hash).foreach(was => seen.putDirectory(hash, was.copy(isReplaced = true)))
  }

  private def different(seen: SeenFiles): Vector[(String, Visit)] =
    visits.iterator
      .filter { case (directory, visit) => isOther(directory, visit.id, seen) }
      .toVector
      .sortBy(_._1)

  private def isOther(directory: String, now: Option[DirectoryId], seen: SeenFiles): Boolean = {
    val place = known.get(directory)
    now.isDefined && !place.exists(_.id == now) && {
      val before = seen.directory(hashOf(directory)).flatMap(_.file)
      before.exists(_ != now.get.file) || place.flatMap(_.id).exists(_ != now.get)
    }
  }

  /** Returns directories named without a pattern that existed before, and are missing in the listing. */
  private def missing(seen: SeenFiles): Vector[String] =
    if (settings.selection.finder.isDefined || absence.onOther != OtherDirectory.Wait) Vector.empty
    else
      settings.selection.rules.named.filter { directory =>
        directory.nonEmpty && !visits.contains(directory) &&
        seen.directory(hashOf(directory)).exists(_.file.isDefined)
      }

  /** Accepts directories that were not known before, because files will be read there. */
  private def remember(seen: SeenFiles): Unit = visits.foreach { case (directory, visit) =>
    if (!known.get(directory).exists(_.id == visit.id) && !isOther(directory, visit.id, seen))
      accept(directory, visit.id, seen)
  }

  private def accept(directory: String, id: Option[DirectoryId], seen: SeenFiles): Unit = {
    val hash = hashOf(directory)
    known(directory) = Place(hash, id)
    if (id.isDefined || seen.directory(hash).isEmpty)
      seen.putDirectory(hash, SeenDirectory(PathHash.tagOf(directory), id.map(_.file)))
  }

  private def hashOf(directory: String): PathHash =
    known.get(directory).fold(PathHash.ofDirectory(directory))(_.hash)

  private def await(now: Vector[Awaited], elapsedMillis: Long): Unit = {
    if (now != awaited) {
      if (now.isEmpty) Log.info(s"${settings.files.describe("")}: all directories exist again.")
      now.filterNot(awaited.contains).foreach { one =>
        Log.warn(
          s"The source waits for ${settings.files.describe(one.directory)}: ${one.why}. No file that was " +
            "read there counts as removed. See the option onOtherDirectory."
        )
      }
      awaited = now
    }
    val failing = now.filter(isLifeless)
    if (failing.isEmpty) waitingSince = None
    else {
      val since = waitingSince.getOrElse(elapsedMillis)
      waitingSince = Some(since)
      if (elapsedMillis - since >= absence.waitMillis)
        throw Errors.sourceAway(
          settings.files.describe(failing.head.directory),
          failing.head.why,
          elapsedMillis - since
        )
    }
  }

  /** Whether a path of the user leads to no readable file. */
  private def isLifeless(one: Awaited): Boolean =
    one.isLimited && settings.selection.rules.named.exists(isBelow(_, one.directory)) &&
      !visits.exists { case (directory, visit) => visit.hasFiles && isBelow(directory, one.directory) }

  private def isBelow(directory: String, above: String): Boolean =
    above.isEmpty || directory == above || directory.startsWith(s"$above/")
}

private[file] object Places {
  private final val IsOther      = "it is not the directory in which files were read"
  private final val IsMissing    = "the directory no longer exists"
  private final val FindsNothing = "the fileEnumerator returns no file at all"

  private final case class Place(hash: PathHash, id: Option[DirectoryId])

  /** A directory that the running listing enters. */
  final class Visit(val id: Option[DirectoryId]) {

    /** Whether the directory contains a file. */
    var hasFiles: Boolean = false

    /** Whether a file in the directory is unchanged since the read. */
    var isConfirmed: Boolean = false
  }

  /** @param isLimited whether the query fails after the maximum waiting time */
  private final case class Awaited(directory: String, why: String, isLimited: Boolean)
}

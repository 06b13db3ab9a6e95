// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import scala.util.{Failure, Success, Try}

import stoplog.fault.Faults

/** What a reader finds in the directory, and what is wrong with it. Uses nothing of the product, but for the reader of
  * its log where that is asked.
  */
object Oracle {

  /** Sentences about everything that is not as it should be once the query has ended. */
  def problems(place: Place, epochs: Long): Vector[String] = {
    val files  = place.files().sorted
    val read   = files.filter(isShown).map(file => file -> Try(place.content.lines(place.read(file))))
    val torn   = read.collect { case (file, Failure(e)) => s"$file cannot be read: $e" }
    val counts =
      read.collect { case (_, Success(rows)) => rows }.flatten.groupMapReduce(identity)(_ => 1)(_ + _)
    val wanted = JobRows.all(epochs).toSet
    torn ++
      counts.collect { case (row, count) if count > 1 => s"'$row' is there $count times" } ++
      (wanted -- counts.keySet).map(row => s"'$row' is missing") ++
      (counts.keySet -- wanted).map(row => s"'$row' was never committed") ++
      files.filterNot(belongs(place, files, _)).map(file => s"$file should not be there") ++
      CompletionCheck.problems(place, files)
  }

  /** What the newest record says is beside open parts, and is not: looked for where, and as long as, it says. */
  def missing(place: Place): Vector[String] = for {
    record <- place.log(Faults.none).newest().toVector
    part   <- record.state.open
    file   <- part.spooled.files
    if !Try(place.read(file.token)).toOption.exists(_.length == file.sizeBytes)
  } yield s"${file.token}, which record ${record.seq} names, is missing or torn"

  /** Unfinished files and uploads: none may be left once a later run has swept. */
  def leftovers(place: Place): Vector[String] =
    place.files().filter(file => unfinished(file) && place.described(file).isEmpty) ++ place.uploads()

  /** What Spark, pyarrow and their like would read: no name on the way may begin with `_` or `.`. */
  def isVisible(file: String): Boolean =
    !file.split('/').exists(name => name.startsWith("_") || name.startsWith("."))

  /** What is put aside is for readers, too. */
  def isShown(file: String): Boolean = isVisible(file.stripPrefix(s"${RowsOrRejected.Directory}/"))

  /** Outside `_stoplog` there are finished parts, what says how much of them counts, and with `inProgress=bucket`
    * hidden ones, and markers; nothing else.
    */
  private def belongs(place: Place, files: Vector[String], file: String): Boolean = {
    val name = file.drop(file.lastIndexOf('/') + 1)
    file.startsWith("_stoplog/") || CompletionCheck.isMarker(name) ||
    name.matches("part-[0-9a-f]{12}-m?\\d+\\.txt") ||
    place.unfinishedInBucket(name) || place.described(file).exists(files.contains)
  }

  private def unfinished(file: String): Boolean = file.split('/').toVector match {
    case "_stoplog" +: _ +: ("open" | "beside" | "replaced") +: _ => true
    case "_stoplog" +: _                                          => false
    case names => names.last.startsWith("_") && !CompletionCheck.isMarker(names.last)
  }
}

package stoplog.matrix

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

import stoplog.store.local.LocalStorage

/** What a reader finds in the directory, and what is wrong with it. Uses nothing of the product. */
object Oracle {

  /** Sentences about everything that is not as it should be once the query has ended. */
  def problems(place: Place, epochs: Long): Vector[String] = {
    val read   = LocalStorage.visible(place.root).toVector.sorted.map(path => path -> lines(place, path))
    val torn   = read.collect { case (path, Failure(e)) => s"$path cannot be read: $e" }
    val counts =
      read.collect { case (_, Success(rows)) => rows }.flatten.groupMapReduce(identity)(_ => 1)(_ + _)
    val wanted = JobRows.all(epochs).toSet
    torn ++
      counts.collect { case (row, count) if count > 1 => s"'$row' is there $count times" } ++
      (wanted -- counts.keySet).map(row => s"'$row' is missing") ++
      (counts.keySet -- wanted).map(row => s"'$row' was never committed") ++
      strangers(place)
  }

  /** Unfinished files: none may be left once a later run has swept. */
  def leftovers(place: Place): Vector[String] =
    LocalStorage.files(place.root).map(place.root.relativize(_)).filter(unfinished).map(_.toString)

  private def lines(place: Place, path: String): Try[Vector[String]] =
    Try(place.content.lines(Files.readAllBytes(place.root.resolve(path))))

  /** Outside `_stoplog` there are finished parts, and with `inProgress=bucket` hidden ones; nothing else. */
  private def strangers(place: Place): Vector[String] =
    LocalStorage
      .files(place.root)
      .map(place.root.relativize(_))
      .filterNot(_.startsWith("_stoplog"))
      .filterNot { file =>
        val name = file.getFileName.toString
        name.matches("part-[0-9a-f]{12}-\\d+\\.txt") ||
        place.layout == Layout.InBucket && name.matches("_(part|orphan)-.+\\.(in-progress|pending)\\.main-.+")
      }
      .map(file => s"$file should not be there")

  private def unfinished(file: Path): Boolean = {
    val names = file.iterator().asScala.map(_.toString).toVector
    names match {
      case "_stoplog" +: _ +: "open" +: _ => true
      case "_stoplog" +: _                => false
      case _                              => names.last.startsWith("_")
    }
  }
}

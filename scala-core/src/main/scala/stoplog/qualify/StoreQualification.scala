// SPDX-License-Identifier: Apache-2.0
package stoplog.qualify

import java.util.UUID
import java.util.concurrent.{FutureTask, TimeUnit}

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkThrowable

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.storage._
import stoplog.thread.{Clock, Daemons, Stopwatch}

/** Qualifies a storage for sinks and sources: races for each promise on which the commit protocol relies.
  *
  * Writes only below a new directory in `_stoplog` under the path, and deletes the directory, also after a
  * failure.
  */
private[stoplog] final class StoreQualification(
    clock: Clock = Clock.system,
    limitMillis: Long = StoreQualification.LimitMillis,
    patienceMillis: Long = StoreQualification.PatienceMillis
) {
  import StoreQualification._

  /** Returns the verdict on the storage of a path.
    *
    * Errors: those of [[Storage.at]], and `STOPLOG_PATH_NOT_WRITABLE` if the directory does not exist, or if
    * the jars of the storage's client have different versions.
    *
    * @param watch called with the number of races that have ended, and of all races
    */
  def of(url: String, configuration: Configuration, watch: Watch): StoreVerdict = {
    val (open, settings) = opened(url, configuration)
    of(url, path => open(path), settings, watch)
  }

  /** Returns the verdict on a storage.
    *
    * @param open     returns the storage of a path, which is `url` or below `url`
    * @param settings the settings without which the storage cannot be opened
    */
  private[qualify] def of(
      url: String,
      open: String => Storage,
      settings: Vector[String],
      watch: Watch
  ): StoreVerdict =
    try judged(url, open, settings, watch)
    catch {
      case e: Throwable => throw Racers.misfit(e).fold(e)(misfit => Errors.pathNotWritable(url, jars(misfit)))
    }

  private def judged(
      url: String,
      open: String => Storage,
      settings: Vector[String],
      watch: Watch
  ): StoreVerdict = {
    val time      = new Stopwatch(clock)
    val directory = s"${SinkDirectory.Root}/$Prefix${UUID.randomUUID()}"
    val root      = s"${url.stripSuffix("/")}/$directory"
    val outer     = open(url)
    outer.refuseUnfit()
    refuseAbsent(url, outer.files(Racers.SinkId))
    var left                   = Option.empty[String]
    val (safety, tried, notes) =
      try verdict(open(root), settings, watch)
      finally {
        val isGone = inTime(StoreQualification.deleted(open(root), outer.files(Racers.SinkId), directory))
        left = Option.when(!isGone)(root)
      }
    val undeleted = left.map(path => s"The trial could not delete its directory: delete $path.")
    StoreVerdict(url, withRight(safety, undeleted), tried, notes, time.millis / 1000, left)
  }

  /** Rejects a directory that does not exist. The trial would create a mistyped directory, or would judge the
    * disk below an unmounted directory.
    */
  private def refuseAbsent(url: String, files: FileStore): Unit =
    if (files.capabilities.directories && files.stat("").isEmpty)
      throw Errors.pathNotWritable(url, "there is no such directory, and the trial creates none")

  private def verdict(
      storage: Storage,
      settings: Vector[String],
      watch: Watch
  ): (Safety, Vector[TriedPromise], Vector[String]) =
    probed(storage) match {
      case Left(reason) => (Safety.Unsafe(Vector(reason)), Vector.empty, Vector.empty)
      case Right(found) =>
        val tried  = new StoreRaces(storage, clock, limitMillis, patienceMillis, watch).run(Promise.all)
        val broken =
          tried.flatMap(promise => promise.violation.map(why => s"${sentence(promise.what)} But $why."))
        val needed = settings ++ growth(storage)
        val safety =
          if (broken.nonEmpty) Safety.Unsafe(broken)
          else if (needed.nonEmpty) Safety.SafeWith(needed)
          else Safety.Safe
        (safety, tried, Vector(found) ++ lifecycle(storage))
    }

  /** Makes the same checks as the start of a sink. */
  private def probed(storage: Storage): Either[String, String] =
    try Right(storage.probe(Racers.SinkId, PartLayout.Staging(Racers.SinkId)))
    catch { case e: Exception with SparkThrowable if Racers.misfit(e).isEmpty => Left(Racers.reason(e)) }

  /** Returns the result of a deletion; false if a hanging storage does not end the deletion. */
  private def inTime(deletion: => Boolean): Boolean = {
    val task = new FutureTask[Boolean](() => deletion)
    Daemons.named("stoplog-qualify").newThread(task).start()
    Try(task.get(patienceMillis, TimeUnit.MILLISECONDS)).getOrElse(false)
  }

  private def growth(storage: Storage): Option[String] =
    Option.when(storage.growth(Racers.SinkId) == Growth.CreateOnly)(
      s"each micro-batch closes its parts, because the file system cannot append. ${Growth.Larger}"
    )

  private def lifecycle(storage: Storage): Option[String] = Option.when(!storage.finishesAnywhere)(
    "If a lifecycle rule aborts the unfinished uploads of open parts, committed rows are lost. The trial " +
      "cannot read the rules of the bucket."
  )

  private def withRight(safety: Safety, undeleted: Option[String]): Safety = (safety, undeleted) match {
    case (Safety.Unsafe(reasons), Some(why)) => Safety.Unsafe(reasons :+ why)
    case (_, Some(why))                      => Safety.Unsafe(Vector(why))
    case _                                   => safety
  }

  private def jars(misfit: LinkageError): String =
    s"the jars of the storage's client have different versions, so the storage was not tried ($misfit). Use " +
      "the versions that belong to the Hadoop of Spark: `stoplog doctor` names them"

  private def sentence(clause: String): String = s"${clause.head.toUpper}${clause.tail}."
}

private[stoplog] object StoreQualification {

  /** Receives the number of races that have ended, and the number of all races. Called by several threads. */
  type Watch = (Int, Int) => Unit

  /** The time for all races. With the deletion of the files, a trial takes at most two minutes. */
  val LimitMillis: Long    = 80 * 1000L
  val PatienceMillis: Long = 20 * 1000L

  private val Prefix = "doctor-"

  /** Returns how to open the storage, and the settings without which the storage rejects the path. */
  private def opened(url: String, configuration: Configuration): (String => Storage, Vector[String]) = {
    val asGiven = settings(configuration)
    try {
      Storage.at(url, asGiven)
      (Storage.at(_, asGiven), Vector.empty)
    } catch {
      case e: Exception with SparkThrowable if e.getCondition == "STOPLOG_UPLOAD_PURGE" =>
        val key    = e.getMessageParameters.get("key")
        val change = new Configuration(configuration)
        change.setBoolean(key, false)
        (Storage.at(_, settings(change)), Vector(s"spark.hadoop.$key=false: ${Racers.reason(e)}"))
    }
  }

  private def settings(configuration: Configuration): StorageSettings =
    StorageSettings(Durability.Disk, Truncation.Allowed, configuration, Faults.none)

  /** Ends the uploads of the trial, and deletes its directory. Returns whether nothing is left. */
  private def deleted(trial: Storage, files: FileStore, directory: String): Boolean = {
    Try(trial.parts(Racers.SinkId, PartLayout.Staging(Racers.SinkId)).beforeRemoval())
    val isGone = Try {
      files.deleteTree(directory)
      files.walk(directory)(_ => true).isEmpty
    }
    files.deleteEmpty(SinkDirectory.Root)
    isGone.getOrElse(false)
  }
}

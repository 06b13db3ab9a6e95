package stoplog.store.hadoop

import stoplog.store.JobStore

/** A batch job's own directory `_stoplog/<job>` under a path of a Hadoop file system. */
final class HadoopJobStore(files: HadoopFiles, job: String) extends JobStore {
  private val own      = s"_stoplog/$job"
  private val replaced = s"$own/replaced"

  override def visible(): Vector[String] = files.writing(files.at("")) {
    files
      .list(files.at(""))
      .map(_.getPath.getName)
      .filterNot(name => name.startsWith("_") || name.startsWith("."))
  }

  override def setAside(entry: String): Unit = files.writing(files.at(entry)) {
    files.renameInto(files.at(entry), files.at(s"$replaced/$entry")) match {
      case Renamed.Done | Renamed.SourceGone         => ()
      case Renamed.TargetThere | Renamed.NoDirectory =>
        throw new java.io.IOException(s"$replaced/$entry is taken")
    }
  }

  /** The newest record goes last of all files: whoever finds an older one would carry that out again. */
  override def remove(): Unit = files.writing(files.at(own)) {
    val (log, others) = files.list(files.at(own)).map(_.getPath).partition(_.getName == "log")
    others.foreach(files.fileSystem.delete(_, true))
    log.foreach { directory =>
      files.list(directory).map(_.getPath).sortBy(_.getName).foreach(files.delete)
      files.delete(directory)
    }
    files.delete(files.at(own))
  }

  override def lastModifiedMillis(): Long = files.writing(files.at(own)) {
    files.filesUnder(files.at(own))(_ => true).map(_.getModificationTime).maxOption.getOrElse(0L)
  }
}

object HadoopJobStore {

  /** The directories of batch jobs that are under the path, whose names begin with `prefix`. */
  def jobs(files: HadoopFiles, prefix: String): Vector[String] = files.writing(files.at("_stoplog")) {
    files.list(files.at("_stoplog")).map(_.getPath.getName).filter(_.startsWith(prefix))
  }
}

package stoplog.store.local

import java.nio.file.{Files, NoSuchFileException, Path}

private[local] object LocalFiles {

  /** `None` when the file has gone meanwhile. */
  def modifiedMillis(file: Path): Option[Long] =
    try Some(Files.getLastModifiedTime(file).toMillis)
    catch { case _: NoSuchFileException => None }
}

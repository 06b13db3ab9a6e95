import java.nio.file.{Files, Path, Paths}

/** Every version this build depends on, in one place; stoplog's own is the one that Python declares. */
object Versions {
  val scala     = "2.13.18"
  val spark     = "4.2.0" // compiled against; the same jar runs on 4.0 to 4.3
  val scalatest = "3.2.20"

  /** Where stoplog's version is written; hatchling reads the same line for the wheel. */
  val stoplogFile: Path = Paths.get("python", "stoplog", "_version.py")

  def stoplog(root: Path): String = {
    val text = new String(Files.readAllBytes(root.resolve(stoplogFile)), "UTF-8")
    """(?m)^__version__ = "([^"]+)"$""".r.findFirstMatchIn(text).map(_.group(1)).getOrElse {
      sys.error(s"""$stoplogFile has no line of the form __version__ = "x.y.z".""")
    }
  }
}

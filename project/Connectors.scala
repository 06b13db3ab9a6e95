// SPDX-License-Identifier: Apache-2.0
import sbt._

/** What `connectors/list.txt` lists. */
object Connectors {

  /** The ids, which are those of the projects. */
  lazy val ids: Seq[String] =
    IO.readLines(file("connectors/list.txt"))
      .map(_.trim)
      .filterNot(line => line.isEmpty || line.startsWith("#"))

  /** The projects of the connectors. */
  lazy val projects: Seq[LocalProject] = ids.map(LocalProject(_))
}

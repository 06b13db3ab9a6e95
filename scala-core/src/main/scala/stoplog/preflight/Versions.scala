// SPDX-License-Identifier: Apache-2.0
package stoplog.preflight

import stoplog.preflight.Finding.{Ok, Warning}

/** The libraries that work together here. */
private[stoplog] object Versions {

  /** @param libraries name and version of what there is; the version is empty where it does not say */
  def of(spark: String, libraries: Seq[(String, String)]): Finding = {
    val all = (("Spark" -> spark) +: libraries)
      .map {
        case (name, "")      => s"$name (it does not say which)"
        case (name, version) => s"$name $version"
      }
      .mkString(", ")
    if (Lines.exists(line => spark.startsWith(s"$line."))) Ok("versions", s"$all.")
    else
      Warning(
        "versions",
        s"$all. This release of stoplog is tested with Spark ${Lines.head} to ${Lines.last}.",
        "Use one of these, or a release of stoplog that knows this one."
      )
  }

  private val Lines = Seq("4.0", "4.1", "4.2", "4.3")
}

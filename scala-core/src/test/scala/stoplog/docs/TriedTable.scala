// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** The table of tried combinations on the compatibility page, from `tests/tried.json`. `make test-spark-lines`
  * writes this file.
  */
object TriedTable {

  def text: String = {
    val tried = new ObjectMapper().readTree(Repository.read(Repository.root.resolve("tests/tried.json")))
    val lines = CompatibilityPage.lines
    val rows  = tested(tried).map { case (platform, store, dates) =>
      row(platform, store, lines.map(cell(store, dates, _)))
    } ++ Managed.map(platform => row(platform, "any", lines.map(_ => NotTried)))
    s"""## Tried combinations
       |
       |Each cell states the last day on which the tests of the combination passed. The file `tests/tried.json`
       |has the dates, and `make test-spark-lines` writes the file. [Platforms](../recipes/platforms.md) has the
       |settings of managed platforms.
       |
       || Platform | Store | ${lines.mkString("Spark ", " | Spark ", "")} |
       ||---|---|${lines.map(_ => "---|").mkString}
       |${rows.mkString("\n|")}
       |""".stripMargin
  }

  private def tested(tried: JsonNode): Vector[(String, String, JsonNode)] =
    tried.fieldNames.asScala.toVector.sorted.map { combination =>
      val (platform, store) = combination.splitAt(combination.indexOf(": "))
      (platform, store.drop(2), tried.get(combination))
    }

  private def row(platform: String, store: String, cells: Seq[String]): String =
    s"| $platform | $store | ${cells.mkString(" | ")} |"

  private def cell(store: String, dates: JsonNode, version: String): String =
    if (store.startsWith("S3") && version.startsWith("4.0."))
      "does not work: Hadoop of this line has no conditional create"
    else Option(dates.get(version)).fold(NotTried)(date => s"tried on ${date.asText}")

  private val NotTried = "not tried"

  private val Managed = Seq(
    "Kubernetes", "EMR", "Dataproc", "Databricks", "Glue jobs", "Synapse, Fabric"
  )
}

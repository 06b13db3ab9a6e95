// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.ObjectMapper

import stoplog.options.{SourceOptionRegistry => Registry}

/** Reads what `load()` was called with: one path is the option `path`, several are Spark's option `paths`. */
private[stoplog] object SourcePaths {

  /** As the option `paths` has them. */
  def render(paths: Seq[String]): String = mapper.writeValueAsString(paths.asJava)

  def parse(asked: AskedOptions, problems: Problems): Vector[String] = {
    val all =
      asked.text(Registry.Path).toVector ++ asked.text(Registry.Paths).toVector.flatMap(list(_, problems))
    if (all.isEmpty) SourceOptions.missing(problems)
    all
  }

  private def list(json: String, problems: Problems): Vector[String] =
    Try(mapper.readTree(json)).toOption.filter(read =>
      read.isArray && read.elements.asScala.forall(_.isTextual)
    ) match {
      case Some(read) => read.elements.asScala.map(_.asText()).toVector
      case None       =>
        problems.add(s"paths = '$json' is not a JSON array of strings.")
        Vector.empty
    }

  private val mapper = new ObjectMapper()
}

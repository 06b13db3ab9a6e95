// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.ObjectMapper

import stoplog.options.{SourceOptionRegistry => Registry}

/** Reads what `load()` was called with: one path is the option `path`, several are Spark's option `paths`. */
private[options] object SourcePaths {

  def parse(asked: AskedOptions, problems: Problems): Vector[String] = {
    val several = asked.others.collectFirst { case (key, value) if key.equalsIgnoreCase("paths") => value }
    val all     = asked.text(Registry.Path).toVector ++ several.toVector.flatMap(list(_, problems))
    if (all.isEmpty) SourceOptions.missing(problems)
    all
  }

  private def list(json: String, problems: Problems): Vector[String] =
    try new ObjectMapper().readTree(json).elements.asScala.map(_.asText()).toVector
    catch {
      case NonFatal(_) =>
        problems.add(s"paths = '$json' is not a JSON array of strings.")
        Vector.empty
    }
}

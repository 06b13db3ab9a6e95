// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.{DataType, StructType}

import stoplog.error.Errors

/** The self-description of a block format ([[BlockFormat.describe]]), parsed: JSON with the format's name, a
  * version, the schema, and settings.
  */
private[format] final class FormatDescription private (root: JsonNode, val schema: StructType) {
  import FormatDescription.JsonTexts

  def number(name: String): Int = root.path(name).asInt

  def texts(name: String): Map[String, String] = JsonTexts.of(root.path(name))
}

private[format] object FormatDescription {

  /** The version for new descriptions, and the newest readable version. */
  val Version: Int = 1

  def write(format: String, schema: StructType, numbers: (String, Int)*)(
      texts: (String, Map[String, String])*
  ): String = {
    val root = JsonTexts.mapper.createObjectNode()
    root.put("format", format).put("version", Version)
    numbers.foreach { case (name, value) => root.put(name, value) }
    root.set[JsonNode]("schema", JsonTexts.mapper.readTree(schema.json))
    texts.foreach { case (name, values) => JsonTexts.put(root, name, values) }
    root.toString
  }

  /** Error: `IllegalArgumentException` for any other string. */
  def read(format: String, described: String): FormatDescription = {
    def notOne(why: String) =
      new IllegalArgumentException(s"The string does not describe a format '$format': $why.")
    val root =
      try JsonTexts.mapper.readTree(described)
      catch { case e: JsonProcessingException => throw notOne(e.getOriginalMessage) }
    val version = root.path("version").asInt(0)
    if (root.path("format").asText != format) throw notOne("its format is another")
    else if (version < 1 || version > Version) throw notOne(s"its version is $version, known is $Version")
    else
      DataType.fromJson(root.path("schema").toString) match {
        case schema: StructType => new FormatDescription(root, schema)
        case other              => throw notOne(s"its schema is ${other.simpleString}")
      }
  }

  /** Requires that a format is opened with the columns for which the format was created. The nullability may
    * differ between the plan and the rows.
    */
  def sameColumns(made: StructType, opened: StructType): Unit =
    require(
      columns(opened) == columns(made),
      s"Made for ${made.catalogString}, opened for ${opened.catalogString}."
    )

  private def columns(schema: StructType): Seq[(String, String)] =
    schema.map(field => field.name -> field.dataType.catalogString)

  /** Strings by name as a JSON object, sorted by name. */
  object JsonTexts {
    val mapper: ObjectMapper = new ObjectMapper()

    def put(node: ObjectNode, name: String, texts: Map[String, String]): Unit = {
      val entries = node.putObject(name)
      texts.toSeq.sorted.foreach { case (key, value) => entries.put(key, value) }
    }

    def of(node: JsonNode): Map[String, String] =
      node.properties.asScala.map(entry => entry.getKey -> entry.getValue.asText).toMap
  }
}

/** User-defined entries for the header or footer of each file: the options `metadata.<key>`. */
private[format] object MetadataOptions {

  /** The prefix of these options; not case-sensitive. */
  val Prefix: String = "metadata."

  /** Returns the entries by their case-sensitive keys, and the other options. */
  def split(options: Map[String, String]): (Map[String, String], Map[String, String]) = {
    val (metadata, others) = options.partition { case (key, _) =>
      key.regionMatches(true, 0, Prefix, 0, Prefix.length)
    }
    (metadata.map { case (key, value) => key.drop(Prefix.length) -> value }, others)
  }

  /** Returns the problems of keys that are reserved. */
  def problems(metadata: Map[String, String])(isReserved: String => Boolean): Seq[String] =
    metadata.keys.toSeq.sorted
      .filter(key => key.startsWith("org.apache.spark.") || isReserved(key))
      .map(key => s"$Prefix$key: Spark writes metadata of this name itself.")
}

/** Converts Hadoop settings between sessions, options and files. */
private[format] object FormatConfiguration {

  /** Returns the settings seen by Spark's own writers: the session's, overridden by the write's options. */
  def of(session: SparkSession, options: Map[String, String]): Configuration =
    configuration(session.conf.getAll ++ options, new Configuration(session.sparkContext.hadoopConfiguration))

  /** Returns the settings with these names. */
  def some(configuration: Configuration)(isWanted: String => Boolean): Map[String, String] =
    configuration.asScala.map(_.getKey).filter(isWanted).map(key => key -> configuration.get(key)).toMap

  /** Returns `all`, changed and overridden by `settings`. */
  def configuration(
      settings: Map[String, String],
      all: Configuration = new Configuration(false)
  ): Configuration = {
    settings.foreach { case (name, value) => all.set(name, value) }
    all
  }
}

/** Finds problems on the driver that would fail the first task. */
private[format] object DryRun {

  /** Rejects a format with known `problems`, and else runs `write`. Error: `STOPLOG_INVALID_OPTIONS`. */
  def apply[A](format: String, problems: Seq[String])(write: => A): A = {
    if (problems.nonEmpty) throw Errors.invalidOptions(problems)
    explained(format)(write)
  }

  /** Returns a result of Spark or the format's library, which may throw. Error: `STOPLOG_INVALID_OPTIONS`. */
  def explained[A](format: String)(answer: => A): A =
    try answer
    catch {
      case NonFatal(e) =>
        val why = String.valueOf(e.getMessage).trim.stripSuffix(".")
        throw Errors.invalidOptions(Seq(s"$format cannot be written: $why."))
    }
}

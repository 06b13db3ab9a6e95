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

/** The description that a format of blocks gives of itself ([[BulkFormat.describe]]), read back: JSON with the format's
  * name, a version, the schema, and settings.
  */
private[format] final class FormatDescription private (root: JsonNode, val schema: StructType) {
  import FormatDescription.JsonTexts

  def number(name: String): Int = root.path(name).asInt

  def texts(name: String): Map[String, String] = JsonTexts.of(root.path(name))
}

private[format] object FormatDescription {

  /** The version that is written, and the newest that can be read. */
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

  /** Error: `IllegalArgumentException` for any other text. */
  def read(format: String, described: String): FormatDescription = {
    def notOne(why: String) =
      new IllegalArgumentException(s"Not the description of a format '$format': $why.")
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

  /** Requires that a format is opened for the columns that it was made for. Whether one is nullable may differ between the
    * plan and the rows.
    */
  def sameColumns(made: StructType, opened: StructType): Unit =
    require(
      columns(opened) == columns(made),
      s"Made for ${made.catalogString}, opened for ${opened.catalogString}."
    )

  private def columns(schema: StructType): Seq[(String, String)] =
    schema.map(field => field.name -> field.dataType.catalogString)

  /** Texts by name as an object of JSON, sorted by their names. */
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

/** Entries that users put into the header or footer of each file: the options `metadata.<key>`. */
private[format] object MetadataOptions {

  /** The prefix of these options; upper and lower case are the same. */
  val Prefix: String = "metadata."

  /** The entries by their keys, whose case counts, and the other options. */
  def split(options: Map[String, String]): (Map[String, String], Map[String, String]) = {
    val (metadata, others) = options.partition { case (key, _) =>
      key.regionMatches(true, 0, Prefix, 0, Prefix.length)
    }
    (metadata.map { case (key, value) => key.drop(Prefix.length) -> value }, others)
  }

  /** The problems of keys that are not the user's. */
  def problems(metadata: Map[String, String])(isReserved: String => Boolean): Seq[String] =
    metadata.keys.toSeq.sorted
      .filter(key => key.startsWith("org.apache.spark.") || isReserved(key))
      .map(key => s"$Prefix$key: Spark writes metadata of this name itself.")
}

/** Hadoop's settings between sessions, options and files. */
private[format] object FormatConfiguration {

  /** The settings that Spark's own writers see: the session's, and above them the options of the write. */
  def of(session: SparkSession, options: Map[String, String]): Configuration =
    configuration(session.conf.getAll ++ options, new Configuration(session.sparkContext.hadoopConfiguration))

  /** The settings with these names. */
  def some(configuration: Configuration)(isWanted: String => Boolean): Map[String, String] =
    configuration.asScala.map(_.getKey).filter(isWanted).map(key => key -> configuration.get(key)).toMap

  /** These settings, and below them those of `all`, which it changes. */
  def configuration(
      settings: Map[String, String],
      all: Configuration = new Configuration(false)
  ): Configuration = {
    settings.foreach { case (name, value) => all.set(name, value) }
    all
  }
}

/** Finds on the driver the problems that would fail the first task. */
private[format] object DryRun {

  /** A trial of a format, which must have none of these problems. Error: `STOPLOG_INVALID_OPTIONS`. */
  def apply[A](format: String, problems: Seq[String])(write: => A): A = {
    if (problems.nonEmpty) throw Errors.invalidOptions(problems)
    asked(format)(write)
  }

  /** An answer of Spark or of the format's library, which may refuse it. Error: `STOPLOG_INVALID_OPTIONS`. */
  def asked[A](format: String)(answer: => A): A =
    try answer
    catch {
      case NonFatal(e) =>
        val why = String.valueOf(e.getMessage).trim.stripSuffix(".")
        throw Errors.invalidOptions(Seq(s"$format cannot be written: $why."))
    }
}

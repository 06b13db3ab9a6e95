// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{Locale, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.TableCatalog

import stoplog.error.Errors
import stoplog.options._

/** The options of a table of Spark's session catalog, among the properties that the catalog hands out.
  *
  * `OPTIONS (…)` come with a prefix. `TBLPROPERTIES` and `writeTo(…).tableProperty(…)` come as they are: those that
  * are called like an option are options.
  *
  * @param all also `path`, unless Spark has yet to choose the place of a managed table
  */
private[spark] final case class TableOptions(all: Map[String, String]) {

  /** With the options of one read. */
  def toRead(asked: JMap[String, String]): SourceOptions = SourceOptions.parse(over(asked).asJava)

  /** With the options of one write. */
  def toWrite(asked: JMap[String, String]): Map[String, String] = TableOptions.ofSink(over(asked))

  /** Error: `STOPLOG_INVALID_OPTIONS` for what neither a read nor a write can take. */
  def check(): Unit = {
    val placed = Map("path" -> "unknown") ++ all
    if (!all.keys.exists(_.equalsIgnoreCase("format")))
      throw TableOptions.refused(
        "needs its format: create it by CREATE TABLE … USING stoplog OPTIONS (format 'parquet')"
      )
    SinkOptions.parse(TableOptions.ofSink(placed))
    SourceOptions.parse(placed.asJava)
    ()
  }

  /** The table's own options over those of a read or a write, which cannot change them. */
  private def over(asked: JMap[String, String]): Map[String, String] = {
    val (fixed, others) = SparkOptions.spelled(asked).partition { case (key, _) =>
      TableOptions.Fixed.contains(key.toLowerCase(Locale.ROOT))
    }
    fixed.foreach { case (key, value) =>
      if (
        key.equalsIgnoreCase("format") && !all.exists { case (k, v) => k.equalsIgnoreCase(key) && v == value }
      )
        throw TableOptions.refused(s"has a format of its own, and $key = '$value' is asked for: leave it out")
    }
    val named = others.map { case (key, _) => key.toLowerCase(Locale.ROOT) }.toSet
    all.filterNot { case (key, _) => named.contains(key.toLowerCase(Locale.ROOT)) } ++ others
  }
}

private[spark] object TableOptions {

  /** Spark's own catalog tells so with what it knows of each of its tables. */
  def isInCatalog(properties: JMap[String, String]): Boolean = {
    val caseless = SparkOptions.caseless(properties)
    Seq(TableCatalog.PROP_PROVIDER, TableCatalog.PROP_OWNER).forall(caseless.containsKey)
  }

  /** Error: `STOPLOG_INVALID_OPTIONS` for an own sink or source, and for a view of a sink's state. */
  def of(properties: JMap[String, String]): TableOptions = {
    val (prefixed, plain) = SparkOptions.spelled(properties).partition { case (key, _) =>
      key.startsWith(TableCatalog.OPTION_PREFIX)
    }
    val options = prefixed.map { case (key, value) => key.drop(TableCatalog.OPTION_PREFIX.length) -> value }
    val named   = options.map { case (key, _) => key.toLowerCase(Locale.ROOT) }.toSet
    val called  = plain.filter { case (key, _) =>
      val name = key.toLowerCase(Locale.ROOT)
      known.contains(name) && !named.contains(name)
    }
    val all = (options ++ called).toMap
    all.keys.find(key => NoTables.exists(_.equalsIgnoreCase(key))).foreach { key =>
      throw refused(s"cannot have the option $key: use save, start or load with a path")
    }
    TableOptions(all)
  }

  private def ofSink(options: Map[String, String]): Map[String, String] =
    options.filterNot { case (key, _) => ofSourceAlone.contains(key.toLowerCase(Locale.ROOT)) }

  private def refused(why: String) = Errors.invalidOptions(Seq(s"a table of Spark's catalog $why."))

  private def names(options: Seq[Opt[_]]): Set[String] = options.map(_.key.toLowerCase(Locale.ROOT)).toSet

  private val Fixed    = Set("path", "format")
  private val NoTables =
    Seq(LogOptions.UserSink.key, ContentOptions.UserSource.key, ViewOptions.View.key)

  private lazy val ofSourceAlone = names(SourceOptionRegistry.all) -- names(SinkOptionRegistry.all)
  private lazy val known         = names(SourceOptionRegistry.all) ++ names(SinkOptionRegistry.all)
}

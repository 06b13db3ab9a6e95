// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.options

import java.util.Locale

import scala.util.Try

import stoplog.jdbc.client.Dialect
import stoplog.jdbc.options.{JdbcOptionRegistry => Registry}
import stoplog.options.{OptionReader, OtherNames, SparkOptions, Suggestion}

/** Classifies keys that are not options of the sink: properties of the database's driver, Spark's own
  * options, and mistakes.
  */
private[jdbc] object DriverProperties {

  /** Returns the properties of the driver. As with Spark's own `jdbc`, these are all unknown keys; a key that
    * looks like a misspelled option is reported.
    */
  def parse(reader: OptionReader): Map[String, String] = {
    val (known, rest) = reader.others
      .filterNot { case (key, _) => SparkOptions.isSparks(key) }
      .partition { case (key, _) => ofSparksJdbc(lower(key)) }
    for ((key, _) <- known)
      reader.errors.add(s"$key is an option of Spark's own jdbc format that has no effect here: remove it.")
    for {
      (key, _) <- rest
      problem  <- otherNames.problem(key)
    } reader.errors.add(problem)
    for {
      (key, _) <- rest if key.length > ShortestMistake && otherNames.problem(key).isEmpty
      meant    <- Suggestion.of(key, Registry.all.map(_.key))
    } reader.errors.add(
      s"$key is not an option: did you mean $meant? A property of the driver can be part of url."
    )
    val url = reader.text(Registry.Url).getOrElse("")
    for {
      (property, value, why) <- refused
      pattern = s"(?i)\\b$property=$value\\b".r
      if pattern.findFirstIn(url).isDefined || rest.exists { case (key, set) =>
        pattern.matches(s"$key=${set.trim}")
      }
    } reader.errors.add(s"$property must not be set to this value: $why")
    rest.toMap
  }

  /** The properties of drivers by which the sink would lose data without an error: the name, a pattern of the
    * values, and the reason.
    */
  private val refused = Seq(
    ("useAffectedRows", "(true|yes|1)", "the sink needs the number of found rows, not of changed rows."),
    ("sendFractionalSeconds", "(false|no|0)", "the driver would remove fractions of seconds."),
    ("useFractionalSeconds", "(false|no|0)", "the driver would remove fractions of seconds."),
    ("date_precision", "seconds", "the driver would remove fractions of seconds.")
  )

  /** Adds the dialect's defaults, unless the URL or an option sets them. */
  def toSpark(reader: OptionReader, passed: Map[String, String], dialect: Dialect): Map[String, String] = {
    val own      = Seq(Registry.Url, Registry.DbTable, Registry.Driver, Registry.User, Registry.Password)
    val url      = reader.text(Registry.Url).getOrElse("")
    val defaults = dialect.driverDefaults.filterNot { case (key, _) =>
      url.contains(s"$key=") || passed.keys.exists(_.equalsIgnoreCase(key))
    }
    // MariaDB's client rejects unknown properties, and sends efficient batches by default.
    val fitting = if (url.startsWith("jdbc:mariadb:")) Map.empty[String, String] else defaults
    own.flatMap(option => reader.text(option).map(option.key -> _)).toMap ++ driverClass(
      reader,
      url
    ) ++ fitting ++ passed
  }

  // Java discovers drivers only in the system class path, not in jars of --jars or --packages.
  private def driverClass(reader: OptionReader, url: String): Map[String, String] =
    if (reader.isSet(Registry.Driver)) Map.empty
    else
      known.collectFirst {
        case (start, name) if url.startsWith(start) && isThere(name) => Registry.Driver.key -> name
      }.toMap

  private val known = Seq(
    "jdbc:postgresql:" -> "org.postgresql.Driver",
    "jdbc:mysql:"      -> "com.mysql.cj.jdbc.Driver",
    "jdbc:mariadb:"    -> "org.mariadb.jdbc.Driver",
    "jdbc:sqlite:"     -> "org.sqlite.JDBC",
    "jdbc:h2:"         -> "org.h2.Driver"
  )

  private def isThere(name: String): Boolean =
    Option(Thread.currentThread.getContextClassLoader)
      .exists(loader => Try(Class.forName(name, false, loader)).isSuccess)

  private val ofSparksJdbc = Set(
    "query", "partitioncolumn", "lowerbound", "upperbound", "fetchsize", "truncate", "cascadetruncate",
    "createtableoptions", "createtablecolumntypes", "customschema", "isolationlevel", "sessioninitstatement",
    "pushdownpredicate", "pushdownaggregate", "pushdownlimit", "pushdownoffset", "pushdowntablesample",
    "preparequery", "prefertimestampntz", "path"
  )

  private lazy val otherNames = OtherNames.ofConnector("jdbc")

  // Shorter names are too similar to each other: `ssl` is not a misspelled `url`.
  private final val ShortestMistake = 4

  private def lower(key: String): String = key.toLowerCase(Locale.ROOT)
}

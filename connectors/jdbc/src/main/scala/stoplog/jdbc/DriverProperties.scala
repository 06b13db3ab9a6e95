// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.Locale

import scala.util.Try

import stoplog.jdbc.{JdbcOptionRegistry => Registry}
import stoplog.options.{OptionReader, Suggestion}

/** Sorts what is no option of the sink: properties of the database's driver, Spark's own, and mistakes. */
private[jdbc] object DriverProperties {

  /** What goes to the driver: as with Spark's own `jdbc`, all that is not known, unless it looks like a mistake. */
  def parse(asked: OptionReader): Map[String, String] = {
    val (known, rest) = asked.others.filterNot { case (key, _) => isSparks(key) }.partition { case (key, _) =>
      ofSparksJdbc(lower(key))
    }
    for ((key, _) <- known)
      asked.errors.add(s"$key is an option of Spark's own jdbc format that has no effect here: remove it.")
    for {
      (key, _) <- rest if key.length > ShortestMistake
      meant    <- Suggestion.of(key, Registry.all.map(_.key))
    } asked.errors.add(
      s"$key is not an option: did you mean $meant? A property of the driver can be part of url."
    )
    rest.toMap
  }

  /** With the dialect's defaults, which the URL may set otherwise. */
  def toSpark(asked: OptionReader, passed: Map[String, String], dialect: Dialect): Map[String, String] = {
    val own      = Seq(Registry.Url, Registry.DbTable, Registry.Driver, Registry.User, Registry.Password)
    val url      = asked.text(Registry.Url).getOrElse("")
    val defaults = dialect.driverDefaults.filterNot { case (key, _) =>
      url.contains(s"$key=") || passed.keys.exists(_.equalsIgnoreCase(key))
    }
    // The client of MariaDB refuses what it does not know, and sends batches well without being told.
    val fitting = if (url.startsWith("jdbc:mariadb:")) Map.empty[String, String] else defaults
    own.flatMap(option => asked.text(option).map(option.key -> _)).toMap ++ driverClass(
      asked,
      url
    ) ++ fitting ++ passed
  }

  // Java finds drivers by itself only in the system's class path, and not in what came by --jars or --packages.
  private def driverClass(asked: OptionReader, url: String): Map[String, String] =
    if (asked.isSet(Registry.Driver)) Map.empty
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

  private def isSparks(key: String): Boolean =
    key.startsWith("_") || Set("checkpointlocation", "queryname", "paths")(lower(key)) ||
      lower(key).startsWith("asyncprogresstracking")

  private val ofSparksJdbc = Set(
    "query", "partitioncolumn", "lowerbound", "upperbound", "fetchsize", "truncate", "cascadetruncate",
    "createtableoptions", "createtablecolumntypes", "customschema", "isolationlevel", "sessioninitstatement",
    "pushdownpredicate", "pushdownaggregate", "pushdownlimit", "pushdownoffset", "pushdowntablesample",
    "preparequery", "prefertimestampntz", "path"
  )

  // Shorter names are too much like each other: `ssl` is not `url`.
  private final val ShortestMistake = 4

  private def lower(key: String): String = key.toLowerCase(Locale.ROOT)
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.client

import com.datastax.dse.driver.api.core.config.DseDriverOption
import com.datastax.oss.driver.api.core.config.{DefaultDriverOption => Default}

import stoplog.options.Suggestion

/** Checks the names of the driver's settings. The driver ignores unknown names. */
private[cassandra] object DriverSettings {

  /** Returns a sentence for each setting that the driver does not know, or that an option replaces.
    *
    * @param settings settings by their full names
    */
  def problems(settings: Map[String, String]): Seq[String] = {
    val hasOwnClass = settings.exists { case (key, value) => isClass(key) && value.contains('.') }
    settings.keys.toSeq.sorted.flatMap { key =>
      val path = pathOf(key)
      owned.get(path).map(why => s"$key $why.").orElse {
        if (isKnown(path)) None
        else
          Suggestion.misspelled(path, known) match {
            case Some(name) =>
              Some(s"$key is not a setting of the driver: did you mean ${Connection.DriverPrefix}$name?")
            // A user-defined class may read settings of its own.
            case None if hasOwnClass => None
            case None                =>
              Some(
                s"$key is not a setting of the driver${similar(path)}: remove it."
              )
          }
      }
    }
  }

  /** Returns the value of a setting, without the quotes of the driver's files. */
  def text(settings: Map[String, String], option: Default): Option[String] =
    settings
      .get(s"${Connection.DriverPrefix}${option.getPath}")
      .map(_.trim.stripPrefix("\"").stripSuffix("\""))
      .filter(_.nonEmpty)

  /** Settings that the connector sets itself: guarantees depend on them, or an option has the same meaning.
    */
  private val owned: Map[String, String] = Map(
    Default.TIMESTAMP_GENERATOR_CLASS   -> "cannot be set: writeTimestamp decides about the times of rows",
    Default.CONTACT_POINTS              -> "cannot be set: use contactPoints",
    Default.REQUEST_CONSISTENCY         -> "has no effect: use consistency",
    Default.REQUEST_DEFAULT_IDEMPOTENCE -> "has no effect: each request states whether it is idempotent",
    Default.SESSION_KEYSPACE            -> "has no effect: use keyspace"
  ).map { case (option, why) => option.getPath -> why }

  private val known: Vector[String] =
    Default.values.toVector.map(_.getPath) ++ DseDriverOption.values.map(_.getPath)

  // A name may also be an object that contains settings, or an entry of a map.
  private def isKnown(path: String): Boolean = known.exists { name =>
    name == path || name.startsWith(s"$path.") || path.startsWith(s"$name.")
  }

  /** Returns the path of a setting without its prefix and without the name of a profile. */
  private def pathOf(key: String): String =
    key.stripPrefix(Connection.DriverPrefix) match {
      case InProfile(path) => path
      case path            => path
    }

  private def isClass(key: String): Boolean = key.endsWith(".class") || key.endsWith(".classes")

  private def similar(path: String): String =
    known.find(_.endsWith(s".$path")).orElse(Suggestion.of(path, known)).fold("") { name =>
      s" (perhaps ${Connection.DriverPrefix}$name)"
    }

  private val InProfile = "profiles\\.[^.]+\\.(.+)".r
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

import stoplog.options.{Opt, OptionGroup, OptionReader, OptionType}

/** The settings that all targets with a table have.
  *
  * @param group the heading of the target
  */
private[stoplog] final class TableOptions(group: OptionGroup) {

  val create: Opt[Boolean] =
    group.withDefault("create", OptionType.words("never" -> false, "ifMissing" -> true), false, "ifMissing")(
      "`ifMissing` creates the table with the first file."
    )

  val newColumns: Opt[NewColumns] = group.withDefault(
    "newColumns",
    OptionType.words[NewColumns]("refuse" -> NewColumns.Refuse, "add" -> NewColumns.Add),
    NewColumns.Refuse,
    "add"
  )("The reaction to columns of a file that the table lacks.")

  val derivedKeys: Opt[Seq[String]] = group.option("derivedKeys", OptionType.columnNames, "dt,hour")(
    "none",
    "The keys of directories whose values the table does not need."
  )

  /** Returns the creation of a missing table; `None` if the table must exist. Reports settings of the
    * creation that have no effect.
    */
  def creation[A](reader: OptionReader, settings: Opt[_]*)(of: => A): Option[A] = {
    if (!reader(create)) reader.withoutEffect(settings, "unless create is ifMissing")
    Option.when(reader(create))(of)
  }

  /** Returns the keys of directories whose values are computed from columns of the files. */
  def derivedKeysOf(reader: OptionReader): Set[String] =
    reader.get(derivedKeys).fold(Set.empty[String])(_.toSet)
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import stoplog.options.{Opt, OptionGroup}

/** One heading of a page of options, and its table. */
object OptionsTable {

  def section(group: OptionGroup, registry: Seq[Opt[_]]): String = {
    val rows = registry.filter(_.group == group).map(row)
    (Seq(s"## ${group.title}", "", "| Option | Value | When not set | Meaning | Example | Since |") ++
      Seq("|---|---|---|---|---|---|") ++ rows).mkString("", "\n", "\n")
  }

  private def row(o: Opt[_]): String =
    Seq(s"`${o.key}`", o.values.described, o.unset, o.doc, s"`${o.example}`", o.since)
      .map(_.replace("|", "\\|"))
      .mkString("| ", " | ", " |")
}

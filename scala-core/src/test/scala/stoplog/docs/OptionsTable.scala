// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import stoplog.options.{Opt, OptionGroup}

/** One heading of a page of options, and its table. */
object OptionsTable {

  def section(group: OptionGroup, registry: Seq[Opt[_]]): String =
    section(group.title, registry.filter(_.group == group))

  def section(title: String, options: Seq[Opt[_]]): String =
    (Seq(s"## $title", "", "| Option | Value | When not set | Meaning | Example |") ++
      Seq("|---|---|---|---|---|") ++ options.map(row)).mkString("", "\n", "\n")

  private def row(o: Opt[_]): String =
    Seq(s"`${o.key}`", o.values.described, o.unset, o.doc, s"`${o.example}`")
      .map(_.replace("|", "\\|"))
      .mkString("| ", " | ", " |")
}

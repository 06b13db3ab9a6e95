// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import stoplog.options.OptionGroup

/** The headings of `docs/jdbc-options.md`. */
object JdbcOptionGroup {
  case object Database extends OptionGroup("Which table")
  case object Writing  extends OptionGroup("How rows are written")
  case object Failures extends OptionGroup("Failures and bad rows")
  case object Owner    extends OptionGroup("Exactly once")

  /** Of options that a sink of its own does not have. */
  case object WriteAhead extends OptionGroup("In a write-ahead sink")

  val all: Seq[OptionGroup] = Seq(Database, Writing, Failures, Owner)
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

/** The rule for columns of a file that the table lacks. */
private[stoplog] sealed trait NewColumns {

  /** Throws [[Refusal]] if the table must not get these columns.
    *
    * @param file the name of the file, for messages
    */
  final def permit(missing: Seq[String], file: String): Unit =
    if (this == NewColumns.Refuse && missing.nonEmpty)
      throw new Refusal(
        s"the table lacks the columns ${missing.sorted.mkString(", ")} of the file $file. Add the columns to the table, or set " +
          "newColumns = add"
      )
}

private[stoplog] object NewColumns {
  case object Refuse extends NewColumns
  case object Add    extends NewColumns
}

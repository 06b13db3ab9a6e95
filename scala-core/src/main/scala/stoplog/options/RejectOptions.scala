// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.options.{SinkOptionRegistry => Registry}

/** Reads what becomes of rows that cannot be written. */
private[options] object RejectOptions {

  def onBadRow(asked: AskedOptions): OnBadRow = asked.choice(Registry.OnBadRow, OnBadRow.all)

  /** A directory under the sink's path, so that one record can publish what is in it and what is beside it. */
  def path(asked: AskedOptions, onBadRow: OnBadRow): String = {
    if (onBadRow == OnBadRow.Fail)
      asked.withoutEffect(Seq(Registry.RejectPath), "unless onBadRow is set to reject")
    asked.value(Registry.RejectPath)(text => problem(text).toLeft(text))
  }

  private def problem(text: String): Option[String] = {
    val names = text.split("/", -1).toSeq
    if (text.startsWith("/") || text.contains(":"))
      Some("must be a directory under path, such as _rejected: one commit cannot publish in two places")
    else if (names.exists(name => name.isEmpty || name == "." || name == ".." || name.exists(_.isControl)))
      Some("must be names with '/' between them, none of them empty, '.' or '..'")
    else if (!text.startsWith("_") && !text.startsWith(".") || names.head.contains("="))
      Some("must begin with '_' or '.' and have no '=' in its first name, or readers would take it for data")
    else if (names.head.equalsIgnoreCase("_stoplog")) Some("is where the log is")
    else None
  }
}

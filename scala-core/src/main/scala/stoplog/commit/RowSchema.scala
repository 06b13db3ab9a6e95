// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.part.SchemaId

/** The columns of a run's rows, as far as the protocol has to know them. */
trait RowSchema {

  /** All columns as a text that the log keeps; empty if they are not known. */
  def text: String

  /** Throws if these columns must not come after the recorded ones. */
  def mayFollow(recorded: String): Unit

  final def id: Option[SchemaId] = Option.when(text.nonEmpty)(SchemaId.of(text))
}

object RowSchema {

  /** The schema of rows with unnamed columns: they may follow any. */
  case object Unknown extends RowSchema {
    override def text: String                      = ""
    override def mayFollow(recorded: String): Unit = ()
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import stoplog.error.Errors

/** The purpose of a catalog call of Spark for a table. Spark makes the same call for each, so the caller tells it, as
  * with [[CallKind]]. A Spark that calls these commands otherwise checks a table when it is first used.
  */
private[spark] object CatalogCall {

  /** CREATE TABLE, also AS SELECT, and what does the same from a DataFrame. */
  def isCreating: Boolean = isIn("CreateTable")

  /** Spark drops the table and creates it anew. Files under a location stay, and their rows would be in the new one.
    * It looks the table up before it drops it, so nothing has happened yet.
    *
    * Error: `STOPLOG_INVALID_OPTIONS`.
    */
  def refuseReplacing(): Unit = if (isIn("ReplaceTable"))
    throw Errors.invalidOptions(
      Seq(
        "a table cannot be replaced (CREATE OR REPLACE TABLE, createOrReplace, saveAsTable with mode overwrite): use " +
          "INSERT OVERWRITE, or insertInto with overwrite; or drop it, remove its files, and create it."
      )
    )

  private def isIn(command: String): Boolean =
    StackWalker.getInstance().walk(_.anyMatch(_.getClassName.contains(s".datasources.v2.$command")))
}

/** Whether Spark wants a table in order to write to it. It does not say: for a sink and for a source it makes the same
  * call. Both are checked as soon as they are asked for, and that is not the same: so it is the caller that tells.
  */
private[spark] sealed trait CallKind
private[spark] object CallKind {
  case object ToRead  extends CallKind
  case object ToWrite extends CallKind

  /** The kind by the innermost of Spark's entry points on the stack; a call through none of them is a write. */
  def now(): CallKind = StackWalker.getInstance().walk { frames =>
    frames
      .map[Option[CallKind]](frame => door(frame.getClassName))
      .filter(_.isDefined)
      .findFirst()
      .map[CallKind](_.get)
      .orElse(ToWrite)
  }

  private def door(className: String): Option[CallKind] =
    if (writers.exists(className.endsWith)) Some(ToWrite)
    else if (readers.exists(className.contains)) Some(ToRead)
    else None

  private val writers = Seq("DataStreamWriter", "DataFrameWriter", "DataFrameWriterV2")
  private val readers = Seq(
    "DataStreamReader", "DataFrameReader", "ResolveDataSource", "FindDataSourceTable", "CreateTempViewUsing"
  )
}

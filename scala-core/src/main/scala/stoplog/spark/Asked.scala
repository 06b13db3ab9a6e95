// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

/** Whether Spark wants a table in order to write to it. It does not say: for a sink and for a source it makes the same
  * call. Both are checked as soon as they are asked for, and that is not the same: so it is the caller that tells.
  */
private[spark] sealed trait Asked
private[spark] object Asked {
  case object ToRead  extends Asked
  case object ToWrite extends Asked

  /** By the innermost of Spark's doors on the stack; whoever comes through none of them writes. */
  def now(): Asked = StackWalker.getInstance().walk { frames =>
    frames
      .map[Option[Asked]](frame => door(frame.getClassName))
      .filter(_.isDefined)
      .findFirst()
      .map[Asked](_.get)
      .orElse(ToWrite)
  }

  private def door(className: String): Option[Asked] =
    if (writers.exists(className.endsWith)) Some(ToWrite)
    else if (readers.exists(className.contains)) Some(ToRead)
    else None

  private val writers = Seq("DataStreamWriter", "DataFrameWriter", "DataFrameWriterV2")
  private val readers = Seq(
    "DataStreamReader", "DataFrameReader", "ResolveDataSource", "FindDataSourceTable", "CreateTempViewUsing"
  )
}

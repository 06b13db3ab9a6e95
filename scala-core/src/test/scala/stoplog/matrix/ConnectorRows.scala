// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

/** What a connector's query writes: in each epoch ten rows of a number and a word.
  *
  * @param result when all is as it should be
  */
sealed abstract class ConnectorRows(val result: String) {
  import ConnectorRows._

  def of(epoch: Long): Seq[Row]

  /** What is there once so many epochs have been written. */
  def wanted(epochs: Long): Seq[Row]

  /** The same rows in that many tasks: an engine that repeats an epoch may have others. */
  final def inTasks(epoch: Long, tasks: Int): Seq[Seq[Row]] = {
    val rows = of(epoch)
    rows.grouped((rows.size + tasks - 1) / tasks).toSeq
  }

  /** What is there, and would not be at any time. */
  final def surplus(found: Seq[Row]): Vector[String] =
    found.diff(found.distinctBy(_._1)).map(row => s"$row is there twice").toVector

  final def problems(found: Seq[Row], epochs: Long): Vector[String] = {
    val all = wanted(epochs)
    all.diff(found).map(row => s"$row is missing").toVector ++
      found.diff(all).map(row => s"$row is there, and should not be")
  }
}

object ConnectorRows {
  type Row = (Long, String)

  final val RowsOfEpoch = 10

  /** Each row is new. */
  case object Inserts extends ConnectorRows(MatrixPage.Result) {
    override def of(epoch: Long): Seq[Row] =
      (epoch * RowsOfEpoch until (epoch + 1) * RowsOfEpoch).map(id => id -> s"w$id")

    override def wanted(epochs: Long): Seq[Row] = (0L until epochs).flatMap(of)
  }

  /** Each epoch has something new to say of the same keys. */
  case object Upserts extends ConnectorRows("each key as the last epoch wrote it") {
    override def of(epoch: Long): Seq[Row] = (0L until RowsOfEpoch).map(id => id -> s"w$id of $epoch")

    override def wanted(epochs: Long): Seq[Row] = of(epochs - 1)
  }
}

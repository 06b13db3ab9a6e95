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
  final def inTasks(epoch: Long, tasks: Int): Seq[Seq[Row]] = grouped(of(epoch), tasks)

  private def grouped(rows: Seq[Row], tasks: Int): Seq[Seq[Row]] =
    rows.grouped((rows.size + tasks - 1) / tasks).toSeq

  /** The rows of an epoch that was planned anew, and so has others. */
  def anew(epoch: Long): Seq[Row]

  /** @param tasks of the process that has planned the epoch anew */
  final def anewInTasks(epoch: Long, tasks: Int): Seq[Seq[Row]] = grouped(anew(epoch), tasks)

  /** What is wrong once an epoch was planned anew. Whether the rows of the former plan were all written is not known. */
  final def problemsAnew(found: Seq[Row], epoch: Long, fate: Anew): Vector[String] = fate match {
    case Anew.Written =>
      val all = wantedAnew(epoch)
      all.diff(found).map(row => s"$row is missing").toVector ++
        found.diff(all).map(row => s"$row is there, and should not be")
    case Anew.Refused =>
      val former = of(epoch).toSet
      surplus(found) ++ anew(epoch).filterNot(former).intersect(found).map(row => s"$row was refused")
  }

  /** What is there once this epoch has been written by the plan made anew alone. */
  protected def wantedAnew(epoch: Long): Seq[Row]

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

  /** What became of an epoch that was planned anew. */
  sealed trait Anew
  object Anew {
    case object Written extends Anew
    case object Refused extends Anew
  }

  /** Each row is new. */
  case object Inserts extends ConnectorRows(MatrixPage.Result) {
    override def of(epoch: Long): Seq[Row] =
      (epoch * RowsOfEpoch until (epoch + 1) * RowsOfEpoch).map(id => id -> s"w$id")

    override def wanted(epochs: Long): Seq[Row] = (0L until epochs).flatMap(of)

    /** One more row has come since. */
    override def anew(epoch: Long): Seq[Row] = of(epoch) :+ (-1 - epoch -> s"new in $epoch")

    override protected def wantedAnew(epoch: Long): Seq[Row] = wanted(epoch) ++ anew(epoch)
  }

  /** Each epoch has something new to say of the same keys. */
  case object Upserts extends ConnectorRows("each key as the last epoch wrote it") {
    override def of(epoch: Long): Seq[Row] = (0L until RowsOfEpoch).map(id => id -> s"w$id of $epoch")

    override def wanted(epochs: Long): Seq[Row] = of(epochs - 1)

    /** Something newer has come since of each key: of the half, a larger value, and of the others a smaller one. */
    override def anew(epoch: Long): Seq[Row] = of(epoch).map { case (id, word) =>
      id -> (if (id % 2 == 0) s"x$word" else s"a$word")
    }

    override protected def wantedAnew(epoch: Long): Seq[Row] = anew(epoch)
  }
}

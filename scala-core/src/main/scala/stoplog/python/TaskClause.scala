// SPDX-License-Identifier: Apache-2.0
package stoplog.python

/** Tasks as a clause, for messages about a call. */
private[stoplog] object TaskClause {

  /** Returns a clause such as `in epoch 7, partitions 1, 3`.
    *
    * @param epoch `None` in a batch query
    */
  def of(epoch: Option[Long], partitions: Seq[Int]): String = {
    val known  = partitions.distinct.sorted
    val plural = if (known.sizeIs > 1) "s" else ""
    s"in ${epoch.fold("a batch query")(number => s"epoch $number")}, partition$plural ${known.mkString(", ")}"
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

/** The place of a part's rows of this epoch. */
private[bulk] sealed trait PartState {

  /** Whether the part has an open block that is too small to end. */
  def isFilling: Boolean

  /** Returns the state after the block rejected a row. */
  def afterRejection: PartState

  /** Gives up the block, if any. */
  def close(): Unit
}

private[bulk] object PartState {

  /** The rows are in the spool only. */
  case object Waiting extends PartState {
    override def isFilling: Boolean        = false
    override def afterRejection: PartState = this
    override def close(): Unit             = ()
  }

  /** The rows are in the spool, and in the block. A rejected row costs the block, and no other row. */
  final case class Filling(block: OpenBlock) extends PartState {
    override def isFilling: Boolean        = true
    override def afterRejection: PartState = Waiting
    override def close(): Unit             = block.close()
  }

  /** The rows are in the block only. After a rejected row, the block cannot be finished. */
  final case class Direct(block: OpenBlock) extends PartState {
    override def isFilling: Boolean        = !block.isLarge
    override def afterRejection: PartState = this
    override def close(): Unit             = block.close()
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

/** Tokens from behind `after` to `until`, this one included. Of Murmur3, where tokens are all whole numbers of 64 bits
  * but the least one, which no partition has. A span does not go around the end of the ring.
  */
private[cassandra] final case class TokenSpan(after: Long, until: Long) {
  require(after < until, s"($after, $until] is empty")

  /** How many tokens. */
  def width: BigInt = BigInt(until) - BigInt(after)

  /** The part-th of so many pieces that are as equal as whole numbers allow. */
  def piece(part: Int, of: Int): TokenSpan = TokenSpan(border(part, of), border(part + 1, of))

  /** Into how many pieces it can be cut at most. */
  def mostPieces: Int = width.min(BigInt(Int.MaxValue)).toInt

  override def toString: String = s"($after, $until]"

  private def border(part: Int, of: Int): Long = (BigInt(after) + width * part / of).toLong
}

private[cassandra] object TokenSpan {

  /** All tokens. */
  val Ring: TokenSpan = TokenSpan(Long.MinValue, Long.MaxValue)

  /** A range of the ring, which may go around its end: then it is two. From a token to the same one is all of it. */
  def of(start: Long, end: Long): Seq[TokenSpan] =
    if (start < end) Seq(TokenSpan(start, end))
    else
      Option.when(start < Long.MaxValue)(TokenSpan(start, Long.MaxValue)).toSeq ++
        Option.when(end > Long.MinValue)(TokenSpan(Long.MinValue, end))
}

package stoplog.store.hadoop

import stoplog.part.Open
import stoplog.store.FenceOutcome

/** What becomes of bytes behind the recorded length when a part is published: they were never committed (I2). */
sealed trait Trimming extends Product with Serializable {

  /** What a new run may do with a part that holds so many bytes, and not just its committed ones. */
  def fenced(part: Open, actualBytes: Long): FenceOutcome = FenceOutcome.Doubtful
}

object Trimming {

  /** They are cut off. */
  case object Truncate extends Trimming

  /** The others are copied. */
  case object Copy extends Trimming

  /** They stay, and a file beside the part says how many bytes count: see [[ValidLengths]]. So a part that has some
    * ends there, as it did with the BucketingSink; whatever a writer that lives on adds to it counts no more than they.
    */
  case object ValidLength extends Trimming {
    override def fenced(part: Open, actualBytes: Long): FenceOutcome =
      if (actualBytes > part.validBytes) FenceOutcome.MustFinish(part.handle, part.validBytes)
      else FenceOutcome.Doubtful
  }
}

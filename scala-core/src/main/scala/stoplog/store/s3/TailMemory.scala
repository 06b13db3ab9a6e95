package stoplog.store.s3

import java.util.concurrent.atomic.AtomicLong

/** How much memory the tails of one process may take together, however many parts are open in it.
  *
  * @param limitBytes beyond it, tails wait on a local disk
  */
private[s3] final class TailMemory(limitBytes: Long) {
  private val used = new AtomicLong()

  /** Whether the bytes may be taken; they are counted from then on. */
  def take(bytes: Long): Boolean = {
    val before = used.getAndUpdate(now => if (now + bytes > limitBytes) now else now + bytes)
    before + bytes <= limitBytes
  }

  def giveBack(bytes: Long): Unit = {
    used.addAndGet(-bytes)
    ()
  }
}

private[s3] object TailMemory {

  /** An eighth of the heap: Spark plans with the rest, and knows nothing of this part. */
  lazy val ofThisProcess: TailMemory = new TailMemory(Runtime.getRuntime.maxMemory / 8)
}

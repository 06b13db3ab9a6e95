// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.ByteArrayOutputStream

import scala.collection.mutable

import stoplog.error.Errors
import stoplog.part.{Closed, Open, Publish, Resume, RunId}
import stoplog.sink.{CommitOutcome, Staged}
import stoplog.storage._

/** Parts in memory, with a list of everything that was asked of them. Tokens are `t1`, `t2`, and so on. */
final class MemoryParts extends PartStore {
  private val asked    = mutable.ArrayBuffer.empty[String]
  private val contents = mutable.LinkedHashMap.empty[String, ByteArrayOutputStream]
  private val shown    = mutable.LinkedHashMap.empty[String, String]
  private var leases   = 0
  private var numbers  = 0

  /** Whether a writer of another run may be alive. */
  var othersAlive: Boolean = false

  /** Whether tasks may write without a look at the log. */
  var forLateWriters: Boolean = false

  /** What each part takes. */
  var mostBytes: Long = Long.MaxValue

  /** What a part consists of, where that is not one file. */
  var consistsOf: Map[String, Set[String]] = Map.empty

  /** The tokens of parts whose bytes are lost, although everything that [[staged]] lists is there. */
  var lost: Set[String] = Set.empty

  /** How a claim is to name a part. */
  var onClaim: Resume => Resume = identity

  /** Called with the path before each publication. */
  var onPublish: String => Unit = _ => ()

  /** Called with the path after each publication. */
  var onPublished: String => Unit = _ => ()

  /** Called with the token before a part is closed in place. */
  var onClose: String => Unit = _ => ()

  /** Called before each answer of [[fence]]. */
  var onFence: () => Unit = () => ()

  /** What [[staged]] says of the age of everything. */
  var modifiedAtMillis: Long = 0

  def calls: Seq[String] = asked.toSeq

  def leasesHeld: Int = leases

  /** Path to content. */
  def finished: Map[String, String] = shown.toMap

  def content(token: String): String = contents(token).toString

  def lose(token: String): Unit = contents -= token

  /** A reader takes a finished part with it. */
  def take(path: String): Unit = shown -= path

  def forgetCalls(): Unit = asked.clear()

  override def toleratesLateWriters: Boolean = forLateWriters

  override def create(part: NewPart): PartOutput = {
    asked += s"create ${part.bucket}/${part.name}"
    begun("")
  }

  override def resume(open: Resume, validBytes: Long): PartOutput = {
    asked += s"resume ${open.token} at $validBytes"
    val kept = prefix(open, validBytes)
    contents(open.token) = filled(kept)
    new Output(open.token)
  }

  override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput = {
    asked += s"takeOver ${open.token} at $validBytes"
    begun(prefix(open, validBytes))
  }

  override def closed(open: Resume, validBytes: Long): Publish = {
    onClose(open.token)
    super.closed(open, validBytes)
  }

  override def isolate(open: Resume, validBytes: Long, part: NewPart): Closed = {
    asked += s"isolate ${open.token} at $validBytes"
    begun(prefix(open, validBytes)).finish()
  }

  override def claimed(open: Resume): Resume = onClaim(open)

  override def stagedOf(token: String): Set[String] = consistsOf.getOrElse(token, Set(token))

  override def isLost(open: Resume): Boolean = lost(open.token)

  override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome = {
    synchronized(asked += s"publish $finishedPath")
    onPublish(finishedPath)
    val outcome = synchronized(show(part, sizeBytes, finishedPath))
    onPublished(finishedPath)
    outcome
  }

  override def staged(): Vector[Staged] = contents.keys.map(Staged(_, modifiedAtMillis)).toVector

  override def discard(token: String): Unit = {
    asked += s"discard $token"
    contents -= token
    ()
  }

  override def enter(run: RunId): AutoCloseable = {
    asked += "enter"
    leases += 1
    () => leases -= 1
  }

  override def othersGone(run: RunId): Boolean = !othersAlive

  override def fence(run: RunId, open: Vector[Open]): Vector[FenceOutcome] = {
    onFence()
    super.fence(run, open)
  }

  private def show(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome =
    contents.remove(part.token) match {
      case Some(bytes) =>
        shown(finishedPath) = bytes.toString.take(sizeBytes.toInt)
        CommitOutcome.Committed
      case None if shown.contains(finishedPath) => CommitOutcome.AlreadyCommitted
      case None                                 => CommitOutcome.Lost
    }

  private def begun(content: String): PartOutput = {
    numbers += 1
    val token = s"t$numbers"
    contents(token) = filled(content)
    new Output(token)
  }

  private def prefix(open: Resume, validBytes: Long): String = {
    val all = contents.getOrElse(open.token, throw Errors.partShort(open.token, 0, validBytes)).toString
    if (all.length < validBytes) throw Errors.partShort(open.token, all.length.toLong, validBytes)
    all.take(validBytes.toInt)
  }

  private def filled(content: String): ByteArrayOutputStream = {
    val bytes = new ByteArrayOutputStream()
    bytes.write(content.getBytes)
    bytes
  }

  private final class Output(token: String) extends PartOutput {
    override def mostBytes: Long = MemoryParts.this.mostBytes
    private val bytes            = contents(token)

    override def position: Long                                           = bytes.size.toLong
    override def write(from: Array[Byte], offset: Int, length: Int): Unit = bytes.write(from, offset, length)

    override def persist(inRecordBytes: Int): Resume = {
      asked += s"persist $token"
      if (!contents.contains(token)) throw Errors.partShort(token, 0, position)
      Resume(token)
    }

    override def finish(): Closed = {
      asked += s"finish $token"
      Closed(token)
    }

    override def close(): Unit = asked += s"close $token"
  }
}

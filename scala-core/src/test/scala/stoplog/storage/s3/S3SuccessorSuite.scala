// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.util.Arrays

import stoplog.LongRun
import stoplog.laws.{LawSuite, StorageUnderTest}
import stoplog.part.{LastWriter, Open, PartRows, Publish, Resume, RunId}
import stoplog.storage.{FenceOutcome, PartOutput, PartStore}
import stoplog.sink.CommitOutcome.{AlreadyCommitted, Committed}

/** A part that has an upload goes on after its writer, while that writer is still adding to the upload. */
abstract class S3SuccessorLaws extends LawSuite {
  private val successor = RunId("22222222-2222-4222-8222-222222222222")
  private val mib       = 1 << 20
  private val content   = new Array[Byte](32 * mib)
  new java.util.Random(7).nextBytes(content)
  private val junk = new Array[Byte](6 * mib)

  protected def bucket: S3Bucket

  /** How a writer ends that should be gone. */
  protected def leave(late: PartOutput): Unit

  /** What is so of a part that the next run has gone on with. */
  protected def numbered(part: Publish): Unit =
    assert(S3SuccessorLaws.token(part).waiting.isEmpty, "it went straight to the upload")

  override def newStorage(): StorageUnderTest = S3UnderTest.create(S3UnderTest.uploads, bucket)

  law("the next run adds to the upload where the run before does not, whatever that one still does") {
    storage =>
      val store   = storage.partStore()
      val open    = begun(store, 6 * mib)
      val alive   = late(store.resume(open, 6L * mib))
      val claimed = store.claimed(open)
      val first   = write(heirTo(storage.partStore(), claimed, 6 * mib), 6 * mib, 17 * mib)
      late(alive).persist()
      val next = first.persist()
      leave(late(store.resume(open, 6L * mib)))
      val last = write(storage.partStore().resume(next, 17L * mib), 17 * mib, 23 * mib).finish()
      leave(late(store.resume(open, 6L * mib)))
      published(storage, last, 23 * mib)
      numbered(last)
  }

  law("a run that wrote nothing down spoils nothing for the one after it") { storage =>
    val store   = storage.partStore()
    val open    = begun(store, 6 * mib)
    val dead    = store.claimed(open)
    val alive   = late(heirTo(store, dead, 6 * mib))
    val claimed = store.claimed(dead)
    val mine    = write(heirTo(store, claimed, 6 * mib), 6 * mib, 12 * mib).finish()
    leave(late(alive))
    published(storage, mine, 12 * mib)
  }

  law("attempts that take a part over at once go on apart, and the one that is recorded stays so") {
    storage =>
      val store = storage.partStore()
      val open  = begun(store, 6 * mib)
      val first = late(store.resume(open, 6L * mib))
      val again = (1 to 3).map(_ => store.takeOver(open, 6L * mib, part()))
      again.patch(1, Nil, 1).foreach(late)
      val mine = write(again(1), 6 * mib, 17 * mib).persist()
      (first +: again.patch(1, Nil, 1)).foreach(late(_).persist())
      assert(S3SuccessorLaws.token(mine).waiting.map(_.bytes) === Vector(5L * mib, 5L * mib))
      val next = write(store.resume(mine, 17L * mib), 17 * mib, 22 * mib).persist()
      leave(late(store.resume(open, 6L * mib)))
      val last = write(store.takeOver(next, 22L * mib, part()), 22 * mib, 28 * mib).finish()
      published(storage, last, 28 * mib)
  }

  law("what waits beside an upload stays with the next run, and can be isolated from it") { storage =>
    val store  = storage.partStore()
    val open   = begun(store, 6 * mib)
    val mine   = write(store.takeOver(open, 6L * mib, part()), 6 * mib, 17 * mib).persist()
    val next   = store.claimed(mine)
    val closed = store.isolate(next, 17L * mib, part(by = successor))
    late(store.resume(mine, 17L * mib)).persist()
    published(storage, closed, 17 * mib)
  }

  law("a part outlives more runs than there are numbers for") { storage =>
    val store      = storage.partStore()
    val open       = begun(store, 6 * mib)
    val successors = Iterator.iterate(open)(store.claimed).take(60).toVector
    val alive      = Seq(0, 1, 10, 18, 19, 58).map(n => late(store.resume(successors(n), 6L * mib)))
    val mine       = write(store.takeOver(successors.last, 6L * mib, part()), 6 * mib, 12 * mib).finish()
    alive.foreach(output => leave(late(output)))
    published(storage, mine, 12 * mib)
  }

  law("what is left of takers that lost is found, and the part is not") { storage =>
    val store = storage.partStore()
    val open  = begun(store, 6 * mib)
    write(store.takeOver(open, 6L * mib, part()), 6 * mib, 17 * mib).persist()
    val mine   = write(store.takeOver(open, 6L * mib, part()), 6 * mib, 17 * mib).persist()
    val needed = store.stagedOf(mine.token)
    val staged = store.staged().map(_.token)
    assert(needed.subsetOf(staged.toSet))
    staged.filterNot(needed).foreach(store.discard)
    published(storage, mine, 17 * mib)
  }

  /** As the driver and the first attempts of a run go on with what they find. */
  private def heirTo(store: PartStore, claimed: Resume, bytes: Int): PartOutput = {
    val open = Open("b", "part-1.txt", claimed, bytes.toLong, PartRows(1, 0, 0), LastWriter(0, None))
    store.fence(successor, Vector(open)).head match {
      case FenceOutcome.Owned    => store.resume(claimed, bytes.toLong)
      case FenceOutcome.Doubtful => store.takeOver(claimed, bytes.toLong, part(by = successor))
    }
  }

  private def begun(store: PartStore, bytes: Int): Resume = write(store.create(part()), 0, bytes).persist()

  private def write(output: PartOutput, from: Int, end: Int): PartOutput = {
    output.write(content, from, end - from)
    output
  }

  private def late(output: PartOutput): PartOutput = {
    output.write(junk, 0, junk.length)
    output
  }

  private def published(storage: StorageUnderTest, part: Publish, bytes: Int): Unit = {
    assert(storage.visible().isEmpty)
    assert(storage.partStore().publish(part, bytes.toLong, "b/part-1.txt") === Committed)
    assert(storage.partStore().publish(part, bytes.toLong, "b/part-1.txt") === AlreadyCommitted)
    assert(Arrays.equals(storage.bytes("b/part-1.txt"), content.take(bytes)))
    assert(storage.visible() === Set("b/part-1.txt"))
    val needed = storage.partStore().stagedOf(part.token)
    assert(storage.partStore().staged().forall(left => !needed(left.token)))
  }
}

private object S3SuccessorLaws {
  def token(part: Publish): S3Token = S3TokenCodec.decode(part.token).get
}

/** This server measures all parts of an upload, also those that its completion does not name: none may be small. */
trait NoSmallParts extends S3SuccessorLaws {
  protected override def leave(late: PartOutput): Unit = {
    late.persist()
    ()
  }
}

class S3SuccessorSuite extends S3SuccessorLaws with NoSmallParts {
  protected override def bucket: S3Bucket = S3Bucket.plain
}

class S3ProxySuccessorSuite extends S3SuccessorLaws {
  protected override def bucket: S3Bucket = S3Bucket.ofOtherMake

  protected override def leave(late: PartOutput): Unit = {
    late.finish()
    ()
  }
}

/** Parts with checksums of their own: S3 completes no upload then that leaves numbers out. */
class S3ChecksumSuccessorSuite extends S3ChecksumSuccessorLaws("fs.s3a.create.checksum.algorithm" -> "CRC32")

/** The same where the client chooses the algorithm. */
class S3ChosenChecksumSuccessorSuite extends S3ChecksumSuccessorLaws("fs.s3a.checksum.generation" -> "true")

abstract class S3ChecksumSuccessorLaws(setting: (String, String))
    extends S3SuccessorLaws
    with NoSmallParts
    with LongRun {
  protected override def bucket: S3Bucket =
    S3Bucket.plain.copy(name = "stoplog-checksums", hadoop = Map(setting))

  protected override def numbered(part: Publish): Unit = {
    val token = S3SuccessorLaws.token(part)
    assert(token.upload.map(_.parts.map(_.number)) === Some(Vector(1)))
    assert(token.upload.map(_.room) === Some(S3Token.S3Room.Publisher(2)))
    assert(token.waiting.size === 3)
  }
}

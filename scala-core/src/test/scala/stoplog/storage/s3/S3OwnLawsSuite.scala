// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.util.Arrays

import stoplog.laws.{Copied, LawSuite, StorageUnderTest}
import stoplog.storage.PutOutcome.{Created, Taken}
import stoplog.part.Resume
import stoplog.storage.{PartStore, RecentWrites}
import stoplog.sink.CommitOutcome.{AlreadyCommitted, Committed, Lost}

/** What S3 promises beside the laws, and instead of some of them. */
class S3OwnLawsSuite extends LawSuite {
  private val content = new Array[Byte](12 << 20)
  new java.util.Random(3).nextBytes(content)

  override def newStorage(): StorageUnderTest = S3UnderTest.create(S3UnderTest.uploads)

  law("a part goes on across epochs, full parts in its upload, and is whole when it is published") {
    storage =>
      var open = storage.partStore().create(part()).persist()
      val ends = Seq(1000, 6 << 20, 6 << 20, 11 << 20, 12 << 20)
      ends.foldLeft(0) { (from, end) =>
        open = goOn(storage.partStore(), Copied(open), from, end)
        end
      }
      val token = S3TokenCodec.decode(open.token).get
      assert(token.upload.map(_.parts.map(_.bytes)) === Some(Vector.fill(2)(5L << 20)))
      assert(storage.visible().isEmpty)
      assert(storage.partStore().publish(open, content.length.toLong, "b/part-1.txt") === Committed)
      assert(Arrays.equals(storage.bytes("b/part-1.txt"), content))
      assert(storage.partStore().publish(open, content.length.toLong, "b/part-1.txt") === AlreadyCommitted)
      assert(storage.partStore().staged().isEmpty)
  }

  law("an object of another length under the final name is never overwritten") { storage =>
    for (length <- Seq(0, 3, 7)) {
      val store  = storage.partStore()
      val name   = s"part-$length.txt"
      val closed = append(store.create(part(name = name)), "yours\n").finish()
      storage.plant(s"b/$name", new Array[Byte](length))
      assert(condition(store.publish(closed, 6, s"b/$name")) === "STOPLOG_NAME_TAKEN")
      assert(storage.bytes(s"b/$name").length === length)
    }
  }

  law("an upload that somebody aborted is lost, and that is an answer") { storage =>
    val store = storage.partStore()
    val open  = goOn(store, store.create(part()).persist(), 0, 6 << 20)
    storage.lose(open)
    assert(store.publish(open, 6L << 20, "b/part-1.txt") === Lost)
  }

  law("the upload of a writer that died is found by its marker and aborted") { storage =>
    val store = storage.partStore()
    val open  = goOn(store, store.create(part()).persist(), 0, 6 << 20)
    assert(store.staged().size === 2)
    store.staged().foreach(staged => store.discard(staged.token))
    assert(store.staged().isEmpty)
    assert(store.publish(open, 6L << 20, "b/part-1.txt") === Lost)
  }

  law(
    "a part whose upload is aborted is not staged, though its marker and its tail are; nothing goes on with it"
  ) { storage =>
    val store  = storage.partStore()
    val bytes  = 6L << 20
    val open   = goOn(store, store.create(part()).persist(), 0, bytes.toInt)
    val closed = store.closed(open, bytes)
    assert(store.isStaged(closed.token))
    abort(storage, open)
    assert(store.staged().size === 2)
    assert(!store.isStaged(closed.token))
    assert(condition(goOn(store, open, bytes.toInt, 12 << 20)) === "STOPLOG_PART_LOST")
    for (handle <- Seq(open, store.claimed(open))) {
      assert(store.isLost(handle))
      assert(condition(store.takeOver(Copied(handle), bytes, part())) === "STOPLOG_PART_LOST", "by a retry")
    }
    assert(store.publish(closed, bytes, "b/part-1.txt") === Lost)
  }

  law("a look whether the upload of a closed part is there leaves nothing in the part") { storage =>
    val store = storage.partStore()
    for (size <- Seq(1000, 6 << 20, 12 << 20)) {
      val name   = s"part-$size.txt"
      val closed = store.closed(goOn(store, store.create(part(name = name)).persist(), 0, size), size.toLong)
      assert(store.isStaged(closed.token) && storage.partStore().isStaged(closed.token))
      assert(store.publish(closed, size.toLong, s"b/$name") === Committed)
      assert(Arrays.equals(storage.bytes(s"b/$name"), content.take(size)), s"$size bytes")
      assert(!store.isStaged(closed.token))
    }
  }

  for (
    (server, bucket) <- Seq[(String, () => S3Bucket)](
      "S3Mock"  -> (() => S3Bucket.plain),
      "S3Proxy" -> (() => S3Bucket.ofOtherMake)
    )
  ) test(s"$server: a look whether the upload of an open part is there changes nothing (P-145)") {
    val storage = S3UnderTest.create(S3UnderTest.uploads, bucket())
    try {
      val store = storage.partStore()
      val open  = goOn(store, store.create(part()).persist(), 0, 6 << 20)
      assert(!store.isLost(open) && !storage.partStore().isLost(store.claimed(open)))
      val other = store.takeOver(Copied(open), 6L << 20, part())
      other.write(content, 6 << 20, 6 << 20)
      val closed = other.finish()
      assert(storage.visible().isEmpty)
      assert(store.publish(closed, content.length.toLong, "b/part-1.txt") === Committed)
      assert(Arrays.equals(storage.bytes("b/part-1.txt"), content))
    } finally storage.close()
  }

  law("a part without an upload is not known to be lost, whatever is missing") { storage =>
    val store = storage.partStore()
    val open  = goOn(store, store.create(part()).persist(), 0, 1000)
    storage.lose(open)
    assert(!store.isLost(open))
  }

  law("a file whose hidden key would be too long is not hidden, which is known before (P-120)") { storage =>
    val long = Iterator.fill(11)("x" * 99).mkString("/")
    assert(storage.replacedFiles().unhideable(Seq(long.take(973))) === Some(long.take(973)))
    assert(storage.replacedFiles().unhideable(Seq(long.take(550))) === None)
  }

  law("before the directory of a job is removed, the uploads end of which its markers tell") { storage =>
    val store = storage.partStore()
    val open  = goOn(store, store.create(part()).persist(), 0, 6 << 20)
    store.beforeRemoval()
    assert(!store.isStaged(open.token))
    assert(store.staged().size === 2, "the objects go with their directory")
  }

  law("a tail of which the record has the end goes on, is taken over and is closed at any of its bytes") {
    storage =>
      val store                       = storage.partStore()
      def begun(name: String): Resume = {
        val first = goOn(store, store.create(part(name = name)).persist(), 0, 1000)
        goOn(store, first, 1000, 1700, inRecordBytes = 700)
      }
      for (end <- Seq(1, 999, 1000, 1001, 1699, 1700)) {
        val bytes = end.toLong
        for (how <- Seq("resumed", "taken over", "isolated", "closed")) {
          val name   = s"part-$how-$end.txt".replace(' ', '-')
          val open   = begun(name)
          val closed = how match {
            case "resumed"    => store.resume(Copied(open), bytes).finish()
            case "taken over" => store.takeOver(open, bytes, part(name = name)).finish()
            case "isolated"   => store.isolate(open, bytes, part(name = name))
            case _            => store.closed(open, bytes)
          }
          assert(store.publish(closed, bytes, s"b/$name") === Committed)
          assert(Arrays.equals(storage.bytes(s"b/$name"), content.take(end)), s"$how at $end")
        }
      }
  }

  law("an object of a tail stays for other processes as long as a handle names the object") { storage =>
    val writer               = recent(storage)
    def tailOf(open: Resume) = S3TokenCodec.decode(open.token).get.tail
    for (full <- Seq(0, 5 << 20)) { // without and with a part of an upload before the tail
      val name  = s"part-$full"
      val begin = full + 1000
      val end   = begin + 12 * 10L
      val first = goOn(writer, writer.create(part(name = name)).persist(), 0, begin)
      val open  = (begin until end.toInt by 10).foldLeft(first) { (open, from) =>
        goOn(writer, Copied(open), from, from + 10, inRecordBytes = 700)
      }
      assert(tailOf(open).path === tailOf(first).path, s"$name keeps its object")
      val other = storage.partStore()
      other.resume(Copied(open), end).close()
      other.takeOver(Copied(open), end, part(name = name)).close()
      assert(
        other.publish(other.isolate(Copied(open), end, part(name = name)), end, s"b/$name") === Committed
      )
      assert(Arrays.equals(storage.bytes(s"b/$name"), content.take(end.toInt)), name)
    }
  }

  law("a part takes the bytes of a tail of which the record has the end") { storage =>
    val store = storage.partStore()
    val first = goOn(store, store.create(part()).persist(), 0, 1000)
    val small = goOn(store, first, 1000, 1700, inRecordBytes = 700)
    val full  = goOn(store, small, 1700, 6 << 20, inRecordBytes = 700)
    val end   = goOn(store, full, 6 << 20, (6 << 20) + 10, inRecordBytes = 700)
    assert(S3TokenCodec.decode(end.token).get.tail.inRecord.length === 10)
    val bytes = (6L << 20) + 10
    val other = store.takeOver(store.claimed(end), bytes, part()).persist(inRecordBytes = 700)
    assert(S3TokenCodec.decode(other.token).get.tail === S3TokenCodec.decode(end.token).get.tail)
    val isolated = store.isolate(other, bytes, part())
    assert(store.publish(isolated, bytes, "b/part-1.txt") === Committed)
    assert(Arrays.equals(storage.bytes("b/part-1.txt"), content.take(bytes.toInt)))
    assert(store.staged().isEmpty)
  }

  law("a record is created once; the very same one again is taken, and its bytes tell whose it is") {
    storage =>
      val records = storage.logFiles()
      assert(records.putIfAbsent(0, utf8("first")) === Created)
      assert(records.putIfAbsent(0, utf8("second")) === Taken)
      assert(records.putIfAbsent(0, utf8("first")) === Taken)
      assert(records.read(0).map(new String(_)) === Some("first"))
  }

  /** The store of a process that keeps the tails that it has written. */
  private def recent(storage: StorageUnderTest): PartStore = storage match {
    case s3: S3UnderTest => s3.s3Store(S3UnderTest.uploads.copy(recent = RecentWrites.OfProcess))
    case other           => fail(s"$other keeps no tails")
  }

  /** As a lifecycle rule does. */
  private def abort(storage: StorageUnderTest, open: Resume): Unit = storage match {
    case s3: S3UnderTest => s3.abortUpload(open)
    case other           => fail(s"$other has no uploads")
  }

  private def goOn(store: PartStore, open: Resume, from: Int, end: Int, inRecordBytes: Int = 0): Resume = {
    val output = store.resume(open, from.toLong)
    output.write(content, from, end - from)
    output.persist(inRecordBytes)
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.io.IOException

import org.apache.hadoop.fs.{FileSystem, Path, SafeMode, SafeModeAction}
import org.apache.hadoop.ipc.RemoteException
import org.scalatest.prop.TableDrivenPropertyChecks

import stoplog.laws.{LawSuite, StorageUnderTest}
import stoplog.part.{LastWriter, Open, PartRows, Resume, RunId}
import stoplog.storage.FenceOutcome

/** What is said of a part, and what of the server: only the former leads to a copy. */
class HdfsOutageSuite extends LawSuite with TableDrivenPropertyChecks {
  override def newStorage(): HdfsUnderTest = HdfsUnderTest.create()

  private val next = RunId("22222222-2222-4222-8222-222222222222")

  law("a part that another client writes is gone on with in a copy") { storage =>
    val open  = leftOpen(storage.partStore(), "good\n")
    val other = clientOfItsOwn()
    val held  = other.append(new Path(s"${root(storage)}/${open.token}"))
    try {
      val mine = append(storage.partStore().resume(open, 5), "mine\n").persist()
      assert(mine.token !== open.token)
    } finally {
      held.close()
      other.close()
    }
  }

  private val refusals = Table(
    ("what the NameNode says", "leads to a copy"),
    (remote("hdfs.protocol.AlreadyBeingCreatedException", "it is owned by another client"), true),
    (remote("hdfs.protocol.RecoveryInProgressException", "try again later"), true),
    (remote("hdfs.server.namenode.NotReplicatedYetException", "append: last block"), true),
    (
      new RemoteException("java.io.IOException", "append: lastBlock is not sufficiently replicated yet."),
      true
    ),
    (remote("hdfs.server.namenode.SafeModeException", "Name node is in safe mode."), false),
    (remote("hdfs.protocol.NSQuotaExceededException", "The quota is exceeded"), false),
    (new java.net.ConnectException("Connection refused"), false),
    (new IOException("no message that anybody knows"), false)
  )

  law("a refused append leads to a copy when it is about the file, and to an error otherwise") { storage =>
    val open = leftOpen(storage.partStore(), "good\n")
    forAll(refusals) { (refusal, copies) =>
      val store = tampered(
        storage,
        new Tampering {
          override def beforeAppend(path: Path): Unit = throw refusal
        }
      )
      if (copies) assert(append(store.resume(open, 5), "mine\n").persist().token !== open.token)
      else assert(condition(store.resume(open, 5)) === "STOPLOG_STORE_WRITE")
    }
    assert(storage.partStore().staged().size === 1 + refusals.count(_._2))
  }

  law("in safe mode nothing is copied, and afterwards everything goes on in place") { storage =>
    val store = storage.partStore()
    val parts = (1 to 3).map(n => leftOpen(store, "good\n", part(name = s"part-$n.txt")))
    val name  = new Path(MiniHdfs.uri).getFileSystem(HdfsUnderTest.configuration()).asInstanceOf[SafeMode]
    name.setSafeMode(SafeModeAction.ENTER)
    try {
      assert(condition(store.resume(parts.head, 5)) === "STOPLOG_STORE_WRITE")
      assert(condition(store.fence(next, parts.map(openPart).toVector)) === "STOPLOG_STORE_WRITE")
    } finally name.setSafeMode(SafeModeAction.LEAVE)
    assert(store.fence(next, parts.map(openPart).toVector) === Vector.fill(3)(FenceOutcome.Owned))
    assert(append(store.resume(parts.head, 5), "more\n").persist().token === parts.head.token)
  }

  law("a part whose lease does not end is doubtful, and says nothing about the others") { storage =>
    val parts = (1 to 3).map(n => leftOpen(storage.partStore(), "good\n", part(name = s"part-$n.txt")))
    val store = tampered(
      storage,
      new Tampering {
        override def beforeRecoverLease(path: Path): Unit =
          if (path.getName.contains("part-2"))
            throw new HdfsLeases.LeaseNotRecoveredException("its DataNode is away")
      }
    )
    assert(
      store.fence(next, parts.map(openPart).toVector) ===
        Vector(FenceOutcome.Owned, FenceOutcome.Doubtful, FenceOutcome.Owned)
    )
  }

  private def tampered(storage: StorageUnderTest, tampering: Tampering): HdfsPartStore = storage match {
    case hdfs: HdfsUnderTest =>
      HdfsUnderTest.parts(TamperedHdfs.files(hdfs, tampering))
    case other => throw new IllegalArgumentException(other.toString)
  }

  private def remote(name: String, message: String) = new RemoteException(s"org.apache.hadoop.$name", message)

  private def root(storage: StorageUnderTest): String = storage.asInstanceOf[HdfsUnderTest].root

  private def clientOfItsOwn(): FileSystem =
    FileSystem.newInstance(new Path(MiniHdfs.uri).toUri, HdfsUnderTest.configuration())

  private def openPart(open: Resume): Open =
    Open("b", "part-1.txt", open, 5, PartRows(1, 0, 0), LastWriter(0, None))
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import stoplog.part.{Resume, RunId}
import stoplog.sink.CommitOutcome
import stoplog.storage.NewPart

/** I2: what becomes visible has the recorded length, whatever the answer to cutting it was worth. */
class HdfsCuttingSuite extends AnyFunSuite {
  private val run = RunId("11111111-1111-4111-8111-111111111111")

  test("a part that has grown during truncation is truncated again") {
    withJunk { (storage, open) =>
      var cuts  = 0
      val store = tampered(
        storage,
        (path, really) => {
          val done = really()
          cuts += 1
          if (cuts == 1) {
            new HdfsLeases(files(storage)).awaitClosed(path)
            storage.appendJunk(Resume(files(storage).relative(path)), "junk again".getBytes)
          }
          done
        }
      )
      assert(store.publish(open, 4, "b/part-1.txt") === CommitOutcome.Committed)
      assert(cuts === 2 && new String(storage.bytes("b/part-1.txt")) === "good")
    }
  }

  test("a part that was not truncated stays invisible, even after a reported success") {
    withJunk { (storage, open) =>
      val store  = tampered(storage, (_, _) => true)
      val failed = intercept[stoplog.error.StoplogException](store.publish(open, 4, "b/part-1.txt"))
      assert(failed.getCondition === "STOPLOG_STORE_WRITE")
      assert(storage.visible() === Set.empty)
      assert(storage.partStore().publish(open, 4, "b/part-1.txt") === CommitOutcome.Committed)
      assert(new String(storage.bytes("b/part-1.txt")) === "good")
    }
  }

  private def withJunk(body: (HdfsUnderTest, Resume) => Unit): Unit = {
    val storage = HdfsUnderTest.create()
    try {
      val output = storage.partStore().create(NewPart("b", "part-1.txt", run))
      output.write("good".getBytes, 0, 4)
      val open = output.persist()
      storage.appendJunk(open, "junk".getBytes)
      body(storage, open)
    } finally storage.close()
  }

  private def tampered(storage: HdfsUnderTest, cut: (Path, () => Boolean) => Boolean): HdfsPartStore = {
    val tampering = new Tampering {
      override def truncate(path: Path, bytes: Long)(really: => Boolean): Boolean = cut(path, () => really)
    }
    HdfsUnderTest.parts(TamperedHdfs.files(storage, tampering))
  }

  private def files(storage: HdfsUnderTest) = TamperedHdfs.files(storage, new Tampering {})
}

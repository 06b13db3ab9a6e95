// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, IOException, ObjectInputStream}
import java.io.ObjectOutputStream

import org.scalatest.funsuite.AnyFunSuite

class RecentWritesSuite extends AnyFunSuite {
  private def bytes(count: Int): Array[Byte] = new Array[Byte](count)

  test("kept files stay within the limit, and the least recently used file is evicted first") {
    val kept = new RecentWrites.Kept(limitBytes = 100)
    kept.keep("a", bytes(40))
    kept.keep("b", bytes(40))
    assert(kept.find("a").map(_.length) === Some(40))
    kept.keep("c", bytes(40))
    assert(Seq("a", "b", "c").map(kept.find(_).isDefined) === Seq(true, false, true))
    kept.keep("d", bytes(101))
    assert(Seq("a", "c", "d").map(kept.find(_).isDefined) === Seq(true, true, false))
  }

  test("a dropped file frees room, and a rewritten file counts once") {
    val kept = new RecentWrites.Kept(limitBytes = 100)
    kept.keep("a", bytes(60))
    kept.keep("a", bytes(50))
    kept.keep("b", bytes(50))
    assert(kept.find("a").map(_.length) === Some(50))
    kept.drop("a")
    kept.drop("a")
    kept.keep("c", bytes(50))
    assert(Seq("a", "b", "c").map(kept.find(_).isDefined) === Seq(false, true, true))
  }

  test("a file is kept after a successful write unless the file is large") {
    val recent                                                    = RecentWrites.OfProcess
    def write(file: String, count: Int, after: => Unit = ()): Int = {
      val stored = new ByteArrayOutputStream()
      recent.keeping(file) { copied =>
        val out = copied(stored)
        out.write(1)
        out.write(bytes(count), 1, count - 1)
        out.flush()
        after
      }
      stored.size
    }
    assert(write("suite/whole", 1000) === 1000)
    assert(recent.find("suite/whole").map(all => all.length -> all.head) === Some(1000 -> 1.toByte))
    assertThrows[IOException](write("suite/failed", 1000, throw new IOException("no")))
    assert(recent.find("suite/failed") === None)
    assert(write("suite/large", RecentWrites.LargestBytes + 1) === RecentWrites.LargestBytes + 1)
    assert(recent.find("suite/large") === None)
    recent.drop("suite/whole")
    assert(recent.find("suite/whole") === None)
  }

  test("serialization omits the kept bytes") {
    assert(RecentWrites.None.find("suite/any") === None)
    for (recent <- Seq(RecentWrites.None, RecentWrites.OfProcess)) {
      val bytes = new ByteArrayOutputStream()
      val out   = new ObjectOutputStream(bytes)
      out.writeObject(recent)
      out.close()
      assert(bytes.size < 1000)
      assert(new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject() eq recent)
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.io.OutputStream
import java.util.concurrent.CountDownLatch

/** Returns its result after half of a file is written. */
private final class HalfElsewhere(storage: StorageUnderTest, path: String) extends Elsewhere.Task {
  override def run(): String = {
    val begun  = new CountDownLatch(1)
    val thread = new Thread(() => storage.files().create(path)(half(begun)))
    thread.setDaemon(true)
    thread.start()
    begun.await()
    "half"
  }

  override def afterwards(): Unit = new CountDownLatch(1).await()

  private def half(begun: CountDownLatch)(out: OutputStream): Unit = {
    out.write(new Array[Byte](1 << 20))
    out.flush()
    begun.countDown()
    new CountDownLatch(1).await()
  }
}

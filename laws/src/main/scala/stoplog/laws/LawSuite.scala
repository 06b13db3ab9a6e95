// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{Callable, CyclicBarrier, Executors}

import scala.util.Try

import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite

import stoplog.part.{Publish, Resume, RunId}
import stoplog.storage.{NewPart, PartOutput, PartStore}

/** The base class of all suites of laws. Each test has its own place. */
abstract class LawSuite extends AnyFunSuite {

  /** Creates a new, empty place. */
  def newStorage(): StorageUnderTest

  protected val run: RunId = RunId("11111111-1111-4111-8111-111111111111")

  protected def law(name: String)(body: StorageUnderTest => Unit): Unit = test(name) {
    val storage = newStorage()
    try body(storage)
    finally storage.close()
  }

  protected def part(bucket: String = "b", name: String = "part-1.txt", by: RunId = run): NewPart =
    NewPart(bucket, name, by)

  protected def utf8(text: String): Array[Byte] = text.getBytes(UTF_8)

  protected def text(storage: StorageUnderTest, path: String): String = new String(storage.bytes(path), UTF_8)

  protected def append(output: PartOutput, content: String): PartOutput = {
    val bytes = utf8(content)
    output.write(bytes, 0, bytes.length)
    output
  }

  /** Creates a part with `content` and leaves the part open. */
  protected def leftOpen(store: PartStore, content: String, as: NewPart = part()): Resume =
    append(store.create(as), content).persist()

  protected def isStaged(store: PartStore, part: Publish): Boolean =
    store.stagedOf(part.token).subsetOf(store.staged().map(_.token).toSet)

  protected def condition(action: => Any): String = intercept[Throwable](action) match {
    case named: SparkThrowable => named.getCondition
    case other                 => throw other
  }

  /** Runs the action on several threads that start simultaneously; returns the results after all threads have
    * ended, or throws a failure.
    */
  protected def together[A](threads: Int)(action: Int => A): Seq[A] = {
    val pool    = Executors.newFixedThreadPool(threads)
    val barrier = new CyclicBarrier(threads)
    try {
      val running =
        (0 until threads).map(i => pool.submit((() => { barrier.await(); action(i) }): Callable[A]))
      running.map(future => Try(future.get())).map(_.get)
    } finally pool.shutdownNow()
  }
}

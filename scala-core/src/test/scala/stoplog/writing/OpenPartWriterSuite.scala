// SPDX-License-Identifier: Apache-2.0
package stoplog.writing

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.commit.{MemoryParts, MemorySpoolFiles}
import stoplog.fault.Faults
import stoplog.part.Spooled
import stoplog.rolling.RollReason
import stoplog.storage.NewPart

class OpenPartWriterSuite extends AnyFunSuite {

  /** Counts how often bodies were closed. */
  private final class Closing(isReadable: Boolean = true) extends PartFormat[String] {
    var closed = 0

    override def begin(name: String, end: PartBuffer): PartEncoder[String] =
      resume(name, end, Spooled.nothing)

    override def resume(name: String, end: PartBuffer, spooled: Spooled): PartEncoder[String] = {
      if (!isReadable) throw new IllegalStateException("no such format")
      new PartEncoder[String] {
        override def append(row: String): Unit = end.write(row.getBytes)
        override def sizeBytes: Long           = end.position
        override def pause(): Unflushed        = Unflushed.nothing
        override def finish(): Unit            = ()
        override def close(): Unit             = closed += 1
      }
    }
  }

  private val parts = new MemoryParts

  private def begun(format: Closing): OpenPartWriter[String] = {
    val output = parts.create(NewPart("b", "p", mine))
    OpenPartWriter.begin(NewPart("b", "p", mine), output, format, TaskWriter.Times[String](), nowMillis = 5)
  }

  test("the encoder is closed after persisting, after finishing and on close") {
    val format = new Closing
    val open   = begun(format)
    open.append("row", 6)
    open.pause()
    open.persist(slot = 0, mine, new SpoolWriter(new MemorySpoolFiles, Faults.none))
    assert(format.closed === 1)
    val whole = begun(format)
    whole.complete()
    whole.finish(RollReason.Age)
    assert(format.closed === 2)
    begun(format).close()
    assert(format.closed === 3 && parts.calls.last.startsWith("close "))
  }

  test("a part without spooled rows is opened at once, and closed if resuming fails") {
    var opened   = 0
    def output() = {
      opened += 1
      parts.create(NewPart("b", "p", mine))
    }
    OpenPartWriter.resume(open("p"), new Closing, TaskWriter.Times[Any]())(() => output())
    assert(opened === 1)
    parts.forgetCalls()
    intercept[IllegalStateException](
      OpenPartWriter.resume(open("p"), new Closing(isReadable = false), TaskWriter.Times[Any]())(() =>
        output()
      )
    )
    assert(parts.calls.last.startsWith("close "))
  }
}

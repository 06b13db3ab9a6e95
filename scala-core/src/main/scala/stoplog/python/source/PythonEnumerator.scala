// SPDX-License-Identifier: Apache-2.0
package stoplog.python.source

import java.io._
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Map => JMap}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

import stoplog.options.PythonOptions
import stoplog.python.{DriverPython, PythonProcess}
import stoplog.source._

/** Finds the splits by an enumerator of the user, in a Python process of this run.
  *
  * The snapshot consists of the snapshot of the user's enumerator, which has returned all splits so far, and
  * of the splits that no micro-batch contains yet.
  *
  * Errors: those of [[PythonProcess]], and `STOPLOG_PYTHON_FORBIDDEN`.
  */
private[source] final class PythonEnumerator(
    options: JMap[String, String],
    context: EnumeratorContext[PythonSplit]
) extends SplitEnumerator[PythonSplit] {
  private val owner = PythonSource.owner(options)
  DriverPython.refuseIfForbidden(owner)

  private val process = PythonProcess.start(DriverPython.command(options))
  private val pending = mutable.ArrayDeque.empty[PythonSplit]
  private val python  = closingOnError {
    val loaded   = process.load(owner, options.get(PythonOptions.Pickled))
    val restored = context.restored.map(PythonEnumerator.Snapshot.read)
    restored.foreach(pending ++= _.pending)
    loaded.call("restore")(restored.map(_.python).orNull)
    loaded
  }

  override def discover(): Discovery = Discovery.Complete

  override def next(): Option[PythonSplit] = {
    if (pending.isEmpty)
      pending ++= python.call("next_splits")(PythonEnumerator.AtOnce).elements.asScala.map(split)
    pending.removeHeadOption()
  }

  override def admit(whole: PythonSplit, budget: Budget): Admitted[PythonSplit] =
    if (budget.holds(whole.size)) Admitted.All(whole, whole.size)
    else
      budget.records
        .filter(_ > 0)
        .flatMap(left => cut(whole, left))
        .fold[Admitted[PythonSplit]](Admitted.Nothing()) { case (head, rest) =>
          Admitted.Part(head, head.size, rest)
        }

  override def takeBack(split: PythonSplit): Unit = {
    pending.prepend(split)
    ()
  }

  override def snapshot(end: Long): Array[Byte] =
    PythonEnumerator.Snapshot(python.call("snapshot")().asText(), pending.toVector).bytes

  override def fixTarget(): Unit = python.call("fix_target")(): Unit

  override def outstanding: Outstanding = Outstanding(pending.size.toLong, pending.map(_.bytes).sum, None)

  override def close(): Unit =
    try python.drop()
    finally process.close()

  private def cut(whole: PythonSplit, rows: Long): Option[(PythonSplit, PythonSplit)] = {
    val values = Seq[Any](whole.position, whole.records.map(Long.box).orNull, whole.bytes)
    Option(python.call("cut")(values.asJava, rows))
      .filterNot(_.isNull)
      .map(two => split(two.get(0)) -> split(two.get(1)))
  }

  private def split(values: JsonNode): PythonSplit = PythonSplit(
    values.get(0).asText(),
    Option(values.get(1)).filterNot(_.isNull).map(_.asLong()),
    values.get(2).asLong()
  )

  private def closingOnError[A](action: => A): A = {
    var isReady = false
    try {
      val made = action
      isReady = true
      made
    } finally if (!isReady) process.close()
  }
}

private[source] object PythonEnumerator {

  /** The splits of one call, to save calls. */
  private final val AtOnce = 100

  /** @param python  the snapshot of the user's enumerator, as JSON
    * @param pending splits that the enumerator has returned and that no micro-batch contains
    */
  private final case class Snapshot(python: String, pending: Vector[PythonSplit]) {
    def bytes: Array[Byte] = {
      val bytes = new ByteArrayOutputStream
      val out   = new DataOutputStream(bytes)
      out.writeByte(Snapshot.Version)
      Texts.write(python, out)
      out.writeInt(pending.size)
      pending.foreach(PythonSplitSerializer.write(_, out))
      bytes.toByteArray
    }
  }

  private object Snapshot {
    final val Version = 1

    def read(bytes: Array[Byte]): Snapshot = {
      val in      = new DataInputStream(new ByteArrayInputStream(bytes))
      val version = in.readByte().toInt
      if (version > Version) throw new IOException(s"a snapshot of version $version is from a newer release")
      val python = Texts.read(in)
      Snapshot(python, Vector.fill(in.readInt())(PythonSplitSerializer.read(version, in)))
    }
  }
}

/** Strings of any length: `DataOutput.writeUTF` is limited to 64 KiB. */
private[source] object Texts {

  def write(text: String, out: DataOutput): Unit = {
    val bytes = text.getBytes(UTF_8)
    out.writeInt(bytes.length)
    out.write(bytes)
  }

  def read(in: DataInput): String = {
    val bytes = new Array[Byte](in.readInt())
    in.readFully(bytes)
    new String(bytes, UTF_8)
  }
}

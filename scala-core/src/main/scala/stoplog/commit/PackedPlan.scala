// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.nio.charset.StandardCharsets.UTF_8

import stoplog.part.{Beside, Open, Resume, RunId, SideFile}

/** A plan as it travels to the tasks: each unpacks what is handed to it, and nothing of what the others get.
  *
  * An engine sends one object to all tasks of an epoch. With thousands of open parts, and maybe bytes of each in its
  * handle, those are megabytes that every task would otherwise take apart for the few parts it is to go on with.
  */
final class PackedPlan private (bare: EpochPlan, handed: Map[Int, Array[Byte]]) extends Serializable {

  def isCommitted(epoch: Long): Boolean = bare.isCommitted(epoch)

  def forTask(slot: Int, attempt: Attempt): TaskPlan =
    bare.forTask(slot, attempt).copy(handed = handed.get(slot).fold(Vector.empty[Open])(PackedPlan.unpacked))
}

object PackedPlan {

  def of(plan: EpochPlan): PackedPlan =
    new PackedPlan(
      plan.copy(handed = Map.empty),
      plan.handed.map { case (slot, parts) => slot -> packed(parts) }
    )

  private def packed(parts: Vector[Open]): Array[Byte] = {
    val bytes = new ByteArrayOutputStream(parts.size * UsualBytes)
    val out   = new DataOutputStream(bytes)
    out.writeInt(parts.size)
    parts.foreach { part =>
      writeText(part.bucket, out)
      writeText(part.name, out)
      out.writeInt(part.slot)
      writeText(part.handle.token, out)
      out.writeLong(part.validBytes)
      out.writeLong(part.records)
      out.writeLong(part.openedAtMillis)
      out.writeLong(part.lastWrittenAtMillis)
      out.writeBoolean(part.owner.isDefined)
      part.owner.foreach(run => writeText(run.value, out))
      writeText(part.beside.note, out)
      out.writeLong(part.beside.storageBytes)
      out.writeInt(part.beside.files.size)
      part.beside.files.foreach { file =>
        writeText(file.token, out)
        out.writeLong(file.sizeBytes)
        out.writeInt(file.level)
      }
    }
    bytes.toByteArray
  }

  private def unpacked(bytes: Array[Byte]): Vector[Open] = {
    val in = new DataInputStream(new ByteArrayInputStream(bytes))
    Vector.fill(in.readInt()) {
      Open(
        bucket = readText(in),
        name = readText(in),
        slot = in.readInt(),
        handle = Resume(readText(in)),
        validBytes = in.readLong(),
        records = in.readLong(),
        openedAtMillis = in.readLong(),
        lastWrittenAtMillis = in.readLong(),
        owner = Option.when(in.readBoolean())(RunId(readText(in))),
        beside = besideOf(in)
      )
    }
  }

  private def besideOf(in: DataInputStream): Beside = {
    val note         = readText(in)
    val storageBytes = in.readLong()
    Beside(note, Vector.fill(in.readInt())(SideFile(readText(in), in.readLong(), in.readInt())), storageBytes)
  }

  /** Not `writeUTF`, which ends at 64 kB: a handle may be longer. */
  private def writeText(text: String, out: DataOutputStream): Unit = {
    val bytes = text.getBytes(UTF_8)
    out.writeInt(bytes.length)
    out.write(bytes)
  }

  private def readText(in: DataInputStream): String = new String(in.readNBytes(in.readInt()), UTF_8)

  private final val UsualBytes = 256
}

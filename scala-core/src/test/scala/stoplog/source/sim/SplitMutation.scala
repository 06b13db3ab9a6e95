// SPDX-License-Identifier: Apache-2.0
package stoplog.source.sim

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInput, DataOutput, InputStream, OutputStream}

import scala.util.Using

import stoplog.storage.{NoFiles, PutOutcome}
import stoplog.source.VersionedSerializer
import stoplog.source.{SplitRecord, StateFiles}

/** The log of splits with one of its rules taken out, by files that lie to it. */
trait SplitMutation {
  def files(real: StateFiles): StateFiles
}

object SplitMutation {

  /** The log as it is. */
  object Unchanged extends SplitMutation {
    override def files(real: StateFiles): StateFiles = real
  }

  /** A driver that was overtaken removes its record, also when others go on from it. */
  object DeletesAlways extends SplitMutation {
    override def files(real: StateFiles): StateFiles = new Lying(real, this) {
      override protected def listed(own: String): Vector[String] = {
        val there = real.list()
        if (there.exists(_ > own)) real.delete(own)
        there
      }
    }
  }

  /** A record counts, whatever was behind it. */
  object NeverLooksBack extends SplitMutation {
    override def files(real: StateFiles): StateFiles = new Lying(real, this) {
      override protected def listed(own: String): Vector[String] = real.list().filter(_ <= own)
    }
  }

  /** No record names the one before it. */
  object NoLinks extends SplitMutation {
    override def files(real: StateFiles): StateFiles = new Lying(real, this) {
      override protected def written(bytes: Array[Byte]): Array[Byte] =
        SplitRecord
          .read(bytes, Utf)
          .fold(
            problem => throw new Broken(s"$problem"),
            record => SplitRecord.encode(record.copy(previous = None), Utf)
          )
    }
  }

  /** Reads and writes splits as the model's drivers do. */
  private object Utf extends VersionedSerializer[String] {
    override val version: Int                                = 1
    override def write(split: String, out: DataOutput): Unit = out.writeUTF(split)
    override def read(version: Int, in: DataInput): String   = in.readUTF()
  }

  /** Passes on all that it does not lie about. */
  private abstract class Lying(real: StateFiles, mutation: SplitMutation) extends StateFiles(NoFiles) {
    private var own = Option.empty[String]

    /** The first list after a record of one's own was made. */
    protected def listed(own: String): Vector[String] = real.list()

    protected def written(bytes: Array[Byte]): Array[Byte] = bytes

    override def list(): Vector[String] = own.fold(real.list()) { name =>
      own = None
      listed(name)
    }

    override def putIfAbsent(name: String)(write: OutputStream => Unit): PutOutcome = {
      val bytes = new ByteArrayOutputStream()
      write(bytes)
      val outcome = real.putIfAbsent(name)(_.write(written(bytes.toByteArray)))
      if (outcome == PutOutcome.Created) own = Some(name)
      outcome
    }

    override def open(name: String): InputStream =
      new ByteArrayInputStream(Using.resource(real.open(name))(_.readAllBytes()))

    override def delete(name: String): Unit = real.delete(name)

    override def in(below: String): StateFiles = mutation.files(real.in(below))

    override def describe(name: String): String = real.describe(name)
  }
}

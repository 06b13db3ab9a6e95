// SPDX-License-Identifier: Apache-2.0
package users

import java.io.{DataInput, DataOutput, InputStream}
import java.net.URI

import stoplog.source._
import stoplog.source.format._

/** Sources, and formats to read with. Nothing here does anything: a user who can compile it can write one. */
object OwnSources {
  class OwnRecordEmitter[R, T] extends RecordEmitter[R, T] {
    override def emit(record: R, out: RowOutput[T]): Unit = ???
  }

  class OwnRowOutput[T] extends RowOutput[T] {
    override def put(row: T): Unit = ???
  }

  class OwnSplit extends Split {
    override def describe: String = ???
    override def size: SplitSize = ???
  }

  class OwnSplitEnumerator[S <: Split] extends SplitEnumerator[S] {
    override def discover(): Discovery = ???
    override def next(): Option[S] = ???
    override def takeBack(split: S): Unit = ???
    override def snapshot(end: Long): Array[Byte] = ???
    override def fixTarget(): Unit = ???
    override def outstanding: Outstanding = ???
    override def close(): Unit = ???
  }

  class OwnSplitReader[S <: Split, R] extends SplitReader[S, R] {
    override def add(splits: Seq[S]): Unit = ???
    override def fetch(): Fetched[S, R] = ???
    override def wakeUp(): Unit = ???
    override def close(): Unit = ???
  }

  class OwnFetchedRecords[S, R] extends Fetched.Records[S, R] {
    override def advance(): Boolean = ???
    override def record: R = ???
    override def rest: Option[S] = ???
  }

  class OwnSplitSource[S <: Split, R, T] extends SplitSource[S, R, T] {
    override def describe: String = ???
    override def splits: VersionedSerializer[S] = ???
    override def enumerator(context: EnumeratorContext[S]): SplitEnumerator[S] = ???
    override def reader(): SplitReader[S, R] = ???
    override def emitter(): RecordEmitter[R, T] = ???
  }

  class OwnVersionedSerializer[A] extends VersionedSerializer[A] {
    override def version: Int = ???
    override def write(value: A, out: DataOutput): Unit = ???
    override def read(version: Int, in: DataInput): A = ???
  }

  class OwnFileInput extends FileInput {
    override def name: String = ???
    override def location: URI = ???
    override def bytes: Option[Long] = ???
    override def open(from: Long): InputStream = ???
  }

  class OwnStreamFormat[R] extends StreamFormat[R] {
    override def isSplittable: Boolean = ???
    override def reader(file: FileInput, from: Long, until: Long): PositionedReader[R] = ???
  }

  class OwnSimpleStreamFormat[R] extends SimpleStreamFormat[R] {
    override def reader(in: InputStream): RecordReader[R] = ???
  }

  class OwnBulkFormatToRead[R] extends BulkFormat[R] {
    override def isSplittable: Boolean = ???
    override def reader(file: FileInput, from: Long, until: Long): BulkReader[R] = ???
  }

  class OwnRecordReader[R] extends RecordReader[R] {
    override def advance(): Boolean = ???
    override def record: R = ???
    override def close(): Unit = ???
  }

  class OwnPositionedReader[R] extends OwnRecordReader[R] with PositionedReader[R] {
    override def position: Long = ???
  }

  class OwnBulkReader[R] extends BulkReader[R] {
    override def readBatch(): Option[Iterator[R]] = ???
    override def position: Long = ???
    override def close(): Unit = ???
  }
}

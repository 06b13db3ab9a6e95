// SPDX-License-Identifier: Apache-2.0
package stoplog.source

/** Makes rows of what a reader read. In a task.
  *
  * Without memory: a record that is emitted twice, because an attempt was broken off, gives the same rows.
  */
trait RecordEmitter[R, T] {

  /** @param out takes any number of rows; one that is the only one of its record may be used again for the next record */
  def emit(record: R, out: RowOutput[T]): Unit
}

/** The destination of an emitter's rows. */
trait RowOutput[T] {
  def put(row: T): Unit
}

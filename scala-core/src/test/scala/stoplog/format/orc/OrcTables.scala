// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

import stoplog.format.bulk.RandomTables

/** Every type that Spark writes to ORC. */
final class OrcTables(seed: Long) extends RandomTables(seed, OrcTables.Flat, OrcTables.Keys, nested = 3) {

  override protected def mayBeNull(): Boolean = true

  override protected def days: Seq[Long] = Seq(-719162L, -200000L, 0L, 2932896L)

  // From before the Gregorian calendar, and from before 1900. Spark moves days that calendar left out.
  override protected def earlySeconds: Seq[Long] = Seq(-62135596800L, -12400000001L, -2208988801L)
}

object OrcTables {

  /** Without dates, which are refused as keys. */
  private val Keys: Seq[DataType] = Seq(StringType, IntegerType, LongType, DecimalType(9, 2))

  val Flat: Seq[DataType] =
    RandomTables.flat(DecimalType(9, 4), DecimalType(18, 18), DecimalType(38, 10))

  /** With `==` by contents, arrays of bytes too. */
  def comparable(value: Any): Any = value match {
    case row: Row                        => row.toSeq.map(comparable)
    case bytes: Array[Byte]              => bytes.toSeq
    case map: scala.collection.Map[_, _] => map.map { case (k, v) => comparable(k) -> comparable(v) }.toMap
    case values: Iterable[_]             => values.map(comparable).toSeq
    case other                           => other
  }

  /** The first row that is not as it was expected. Whole files would take minutes to print. */
  def difference(found: Seq[Row], expected: Seq[Row]): Option[(Any, Any)] =
    found
      .zipAll(expected, Row("none"), Row("none"))
      .map { case (a, b) => comparable(a) -> comparable(b) }
      .find { case (a, b) => a != b }
}

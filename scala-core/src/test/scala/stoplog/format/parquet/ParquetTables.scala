// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import org.apache.spark.sql.types._

import stoplog.format.bulk.RandomTables

/** Every type that Spark writes to Parquet. */
final class ParquetTables(seed: Long)
    extends RandomTables(seed, ParquetTables.Flat, ParquetTables.Keys, nested = 4) {

  override protected def mayBeNull(): Boolean = random.nextBoolean()

  override protected def days: Seq[Long] = Seq(-719162L, -200000L, -141427L, 0L, 2932896L)

  // From before the Gregorian calendar, and from before 1900.
  override protected def earlySeconds: Seq[Long] = Seq(-62135596800L, -12219292801L, -2208988801L)
}

private object ParquetTables {

  // Rows are compared as Scala compares them, which fails for arrays of bytes and NaN as keys.
  val Keys: Seq[DataType] = Seq(StringType, IntegerType, LongType, DateType, DecimalType(9, 2))

  val Flat: Seq[DataType] = RandomTables.flat(
    DecimalType(1, 0),
    DecimalType(9, 4),
    DecimalType(18, 18),
    DecimalType(19, 3),
    DecimalType(38, 0),
    DecimalType(38, 38)
  ) :+ VariantType
}

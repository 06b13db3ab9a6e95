// SPDX-License-Identifier: Apache-2.0
package stoplog.source.format

import java.io.BufferedInputStream
import java.nio.ByteBuffer

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{DoubleType, IntegerType, StructType}

import stoplog.format.read.SimpleRows

final case class Measurement(sensor: Int, value: Double)

/** Measurements of twelve bytes each: a reader can start at any byte. */
final class MeasurementFormat
    extends StreamFormat[Measurement]
    with SimpleRows[Measurement]
    with Serializable {
  private val size = 12

  override def schema: StructType =
    new StructType().add("sensor", IntegerType).add("value", DoubleType)

  override def row(measurement: Measurement): Row =
    Row(measurement.sensor, measurement.value)

  override def isSplittable: Boolean = true

  override def reader(
      file: FileInput,
      from: Long,
      until: Long
  ): PositionedReader[Measurement] =
    new PositionedReader[Measurement] {
      private var at     = (from + size - 1) / size * size
      private val in     = new BufferedInputStream(file.open(at))
      private var latest = Measurement(0, 0)

      override def advance(): Boolean = at < until && {
        val bytes = in.readNBytes(size)
        if (bytes.nonEmpty) {
          val fields = ByteBuffer.wrap(bytes)
          latest = Measurement(fields.getInt(), fields.getDouble())
          at += size
        }
        bytes.nonEmpty
      }

      override def record: Measurement = latest
      override def position: Long      = at
      override def close(): Unit       = in.close()
    }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import org.apache.spark.sql.types.{DataType, StructType}
import stoplog.error.Errors

private[format] object SupportedTypes {

  /** Refuses the first column whose type Spark's own writer of the format refuses. */
  def check(format: String, schema: StructType)(supports: DataType => Boolean): Unit =
    schema.find(field => !supports(field.dataType)).foreach { field =>
      throw Errors.unsupportedType(format, field.name, field.dataType.simpleString)
    }
}

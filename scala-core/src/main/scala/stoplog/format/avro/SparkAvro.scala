// SPDX-License-Identifier: Apache-2.0
package stoplog.format.avro

import java.lang.invoke.{MethodHandle, MethodHandles, MethodType}

import org.apache.avro.Schema
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.internal.LegacyBehaviorPolicy
import org.apache.spark.sql.types.{DataType, StructType}

/** Spark's own writer of Avro. Since 4.0 it is in spark-sql itself; the module spark-avro only gives it its name.
  *
  * It is private to Scala code outside of Spark, though not to the JVM, and its constructors and methods are the same
  * in all lines from 4.0 to 4.3. So it is asked for by name.
  */
private[avro] object SparkAvro {

  def fileFormat(): FileFormat =
    loaded(FileFormatName).getDeclaredConstructor().newInstance().asInstanceOf[FileFormat]

  /** Turns rows of `schema` into records of `settings.schema`. */
  def serializer(schema: StructType, avro: Schema, settings: AvroSettings): Serializer = {
    val constructor = loaded(SerializerName).getConstructor(
      classOf[DataType],
      classOf[Schema],
      classOf[Boolean],
      classOf[Boolean],
      classOf[Enumeration#Value]
    )
    val made = constructor.newInstance(
      schema,
      avro,
      Boolean.box(false), // a row itself is never null
      Boolean.box(settings.fieldMatching == FieldMatching.ByPosition),
      LegacyBehaviorPolicy.withName(settings.rebaseMode)
    )
    new Serializer(Method.bindTo(made).asType(ObjectToObject))
  }

  final class Serializer private[SparkAvro] (method: MethodHandle) {
    def apply(row: InternalRow): AnyRef = method.invokeExact(row: AnyRef): AnyRef
  }

  private def loaded(name: String): Class[_] = Class.forName(name, true, classOf[FileFormat].getClassLoader)

  private val FileFormatName = "org.apache.spark.sql.avro.AvroFileFormat"
  private val SerializerName = "org.apache.spark.sql.avro.AvroSerializer"
  private val ObjectToObject = MethodType.methodType(classOf[Object], classOf[Object])

  private lazy val Method =
    MethodHandles.publicLookup().findVirtual(loaded(SerializerName), "serialize", ObjectToObject)
}

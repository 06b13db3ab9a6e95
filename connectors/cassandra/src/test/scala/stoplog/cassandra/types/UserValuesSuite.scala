// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.types

import com.datastax.oss.driver.api.core.CqlIdentifier.fromInternal
import com.datastax.oss.driver.api.core.`type`.DataTypes
import com.datastax.oss.driver.api.core.data.UdtValue
import com.datastax.oss.driver.internal.core.`type`.UserDefinedTypeBuilder
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

class UserValuesSuite extends AnyFunSuite {
  private def written(struct: String, fields: String*)(values: Any*): Either[String, Seq[Int]] = {
    val builder = new UserDefinedTypeBuilder(fromInternal("shop"), fromInternal("pair"))
    fields.foreach(name => builder.withField(fromInternal(name), DataTypes.INT))
    UserValues.toCql(StructType.fromDDL(struct), builder.build()).map { convert =>
      val value = convert(InternalRow(values: _*)).asInstanceOf[UdtValue]
      fields.indices.map(value.getInt)
    }
  }

  test("a field of a user-defined type gets the value of the field with its exact name") {
    assert(written("ID INT, id INT", "id", "ID")(1, 2) === Right(Seq(2, 1)))
    assert(written("B INT, a INT", "a", "b")(1, 2) === Right(Seq(2, 1)))
  }

  test("two fields with one target, and a field without a target are rejected") {
    assert(written("ID INT, id INT", "id")(1, 2).left.exists(_.contains("several fields are written to id")))
    assert(written("Id INT", "id", "ID")(1).left.exists(_.contains("has no field Id")))
    assert(written("c INT", "a")(1).left.exists(_.contains("has no field c")))
  }

  test("a text is a UUID only in its complete form") {
    val uuid               = ToCql.of(StringType, DataTypes.UUID).toOption.get
    def read(text: String) = uuid(UTF8String.fromString(text)).toString
    val complete           = "0aB3c4d5-0001-0002-0003-000000000004"
    assert(read(complete) === complete.toLowerCase)
    for (text <- Seq("123456789-2-3-4-5", "1-2-3-4-5", "", s"{$complete}"))
      intercept[IllegalArgumentException](read(text))
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import java.util.Base64

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.crypto.keytools.{KmsClient, PropertiesDrivenCryptoFactory}
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException
import stoplog.format.SparkSessionForTests
import stoplog.format.bulk.{BulkSink, PartInBlocks, PartLife, RandomTables}
import stoplog.format.parquet.ParquetFiles.{comparable, saved}

/** Modular encryption, by the factory that the user names. */
class ParquetEncryptionSuite extends AnyFunSuite with SparkSessionForTests {

  private val schema = StructType.fromDDL("id BIGINT, name STRING")

  private val rows = Seq.tabulate(1000)(i => Row(i.toLong, s"somebody $i"))

  private val factory = Map(
    "parquet.crypto.factory.class"        -> classOf[PropertiesDrivenCryptoFactory].getName,
    "parquet.encryption.kms.client.class" -> classOf[KmsForTests].getName
  )

  private val keys = factory ++ Map(
    "parquet.encryption.footer.key"  -> "of-footer",
    "parquet.encryption.column.keys" -> "of-name:name"
  )

  for (plainFooter <- Seq("false", "true"))
    test(
      s"an encrypted part is a single row group, readable with its keys (plaintext footer = $plainFooter)"
    ) {
      val options = keys + ("parquet.encryption.plaintext.footer" -> plainFooter)
      val format  = Blocks.format(schema, options)
      format.open(schema)
      assert(format.blockBytes === Long.MaxValue)
      val bytes = Blocks.file(format, schema, Seq(internal))
      assert(!contains(bytes, "somebody"))
      val read = spark.read.options(factory).parquet(saved(bytes).toString).collect().toSeq
      assert(comparable(read) === comparable(rows))
    }

  test("rejects the resumption of an encrypted part") {
    val format = Blocks.format(schema, keys)
    format.open(schema)
    val part = PartInBlocks().block(format, internal)
    intercept[IllegalStateException](part.block(format, internal))
  }

  test("a crypto factory without keys for the file leaves several plain row groups") {
    val format = Blocks.format(schema, factory)
    val bytes  = Blocks.file(format, schema, Seq(internal, internal))
    assert(contains(bytes, "somebody"))
    assert(ParquetFiles.footer(bytes).getBlocks.size === 2)
  }

  test("a description keeps key names and omits secrets") {
    val described = Blocks.format(schema, keys + ("parquet.encryption.key.access.token" -> "t0p")).describe
    assert(described.contains("of-footer") && described.contains("of-name"))
    assert(!described.contains("t0p"))
  }

  test("rejects a recorded description with encryption") {
    val forged = BulkSink("parquet", schema, Blocks.format(schema, keys), PartLife.ManyEpochs).description
    val error  = intercept[IllegalArgumentException](BulkSink.of(forged, None))
    assert(error.getMessage.contains("encrypted"))
  }

  test("the driver rejects an unknown key and external key material") {
    for (
      wrong <- Seq(
        "parquet.encryption.footer.key"                    -> "unknown",
        "parquet.encryption.key.material.store.internally" -> "false"
      )
    ) intercept[StoplogArgumentException](Blocks.format(schema, keys + wrong))
  }

  private def internal: Seq[InternalRow] = RandomTables.internal(schema, rows)

  private def contains(bytes: Array[Byte], text: String): Boolean =
    new String(bytes, "ISO-8859-1").contains(text)
}

/** A key server that wraps nothing. */
final class KmsForTests extends KmsClient {

  override def initialize(conf: Configuration, id: String, url: String, token: String): Unit = ()

  override def wrapKey(key: Array[Byte], master: String): String =
    if (master == "unknown") throw new IllegalArgumentException("No such key.")
    else Base64.getEncoder.encodeToString(key)

  override def unwrapKey(wrapped: String, master: String): Array[Byte] = Base64.getDecoder.decode(wrapped)
}

package stoplog.format.parquet

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.crypto.EncryptionPropertiesFactory.CRYPTO_FACTORY_CLASS_PROPERTY_NAME
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StructType}

/** All that decides on the bytes of a file besides its rows, in a form that outlives the session.
  *
  * @param hadoop
  *   what Spark's writer found in its Hadoop configuration
  * @param session
  *   what it found in the session's: modes of rebasing, the time zone
  * @param metadata
  *   key-value entries beyond Spark's own
  */
private[parquet] final case class ParquetSettings(
    schema: StructType,
    hadoop: Map[String, String],
    session: Map[String, String],
    metadata: Map[String, String]
) {

  def encrypts: Boolean = hadoop.contains(CRYPTO_FACTORY_CLASS_PROPERTY_NAME)

  def configuration: Configuration = {
    // Clients of key servers may look for any setting of Hadoop; nobody else looks beyond those carried.
    val conf = new Configuration(encrypts)
    hadoop.foreach { case (key, value) => conf.set(key, value) }
    ParquetWriteSupport.setSchema(schema, conf)
    conf
  }

  def sqlConf: SQLConf = {
    val conf = new SQLConf
    session.foreach { case (key, value) => conf.setConfString(key, value) }
    conf
  }

  def withSecrets(secrets: Map[String, String]): ParquetSettings = copy(hadoop = hadoop ++ secrets)

  def describe: String = {
    val root = ParquetSettings.mapper.createObjectNode()
    root.put("format", "parquet").put("version", ParquetSettings.Version)
    root.set[JsonNode]("schema", ParquetSettings.mapper.readTree(schema.json))
    val open = hadoop.filterNot { case (key, _) => ParquetSettings.isSecret(key) }
    for ((name, values) <- Seq("hadoop" -> open, "session" -> session, "metadata" -> metadata)) {
      val node = root.putObject(name)
      values.toSeq.sorted.foreach { case (key, value) => node.put(key, value) }
    }
    root.toString
  }
}

private[parquet] object ParquetSettings {

  /** The version of the description that is written, and the newest that can be read. */
  val Version: Int = 1

  def of(described: String): ParquetSettings = {
    val root =
      try mapper.readTree(described)
      catch { case e: JsonProcessingException => throw notOne(e.getOriginalMessage) }
    val version = root.path("version").asInt(0)
    if (root.path("format").asText != "parquet") throw notOne("its format is another")
    else if (version < 1 || version > Version) throw notOne(s"its version is $version, known is $Version")
    else
      DataType.fromJson(root.path("schema").toString) match {
        case schema: StructType =>
          ParquetSettings(
            schema,
            texts(root.path("hadoop")),
            texts(root.path("session")),
            texts(root.path("metadata"))
          )
        case other => throw notOne(s"its schema is ${other.simpleString}")
      }
  }

  // The last is where parquet-hadoop's key server for tests has its keys.
  private def isSecret(key: String): Boolean =
    "(?i)secret|password|token|access[.]?key|encryption[.]key[.]list".r.findFirstIn(key).isDefined

  private def texts(node: JsonNode): Map[String, String] =
    node.properties.asScala.map(entry => entry.getKey -> entry.getValue.asText).toMap

  private def notOne(why: String): IllegalArgumentException =
    new IllegalArgumentException(s"Not the description of a Parquet format: $why.")

  private val mapper = new ObjectMapper()
}

// SPDX-License-Identifier: Apache-2.0
import sbt._
import sbt.Keys._

/** The classes by which Spark finds the formats of the connectors.
  *
  * Spark loads the classes of all jars for every read, also of other formats. Therefore such a class must
  * load without the core and without the client of its system, and may report the missing jar only when its
  * own format is used. The class cannot be in the core, which may be missing, so each connector has a copy
  * of its own, written here.
  */
object ConnectorDataSources {

  /** @param name     the class, in the package of the connector
    * @param provider the class that does the work, which needs the core
    */
  private final case class Source(name: String, provider: String)

  private val all = Map(
    "cassandra" -> Source("CassandraDataSource", "stoplog.cassandra.spark.CassandraProvider"),
    "jdbc"      -> Source("JdbcDataSource", "stoplog.jdbc.spark.JdbcProvider"),
    "kafka"     -> Source("KafkaDataSource", "stoplog.kafka.spark.KafkaProvider"),
    "wal"       -> Source("WriteAheadDataSource", "stoplog.wal.WriteAheadProvider")
  )

  /** Writes the class and its entry for `ServiceLoader`. Does nothing for a connector without a format. */
  def settings(id: String): Seq[Setting[_]] = all.get(id).toSeq.flatMap { source =>
    Seq(
      Compile / sourceGenerators += Def.task {
        val file = (Compile / sourceManaged).value / "stoplog" / id / s"${source.name}.java"
        val text = java(id, source, version.value)
        if (!file.exists || IO.read(file) != text) IO.write(file, text)
        Seq(file)
      }.taskValue,
      Compile / resourceGenerators += Def.task {
        val file = (Compile / resourceManaged).value / "META-INF" / "services" / Register
        IO.write(file, s"stoplog.$id.${source.name}\n")
        Seq(file)
      }.taskValue
    )
  }

  private val Register = "org.apache.spark.sql.sources.DataSourceRegister"

  private def java(id: String, source: Source, version: String): String =
    s"""// SPDX-License-Identifier: Apache-2.0
       |package stoplog.$id;
       |
       |import java.util.Map;
       |import java.util.function.Supplier;
       |import org.apache.spark.sql.connector.catalog.SessionConfigSupport;
       |import org.apache.spark.sql.connector.catalog.Table;
       |import org.apache.spark.sql.connector.catalog.TableProvider;
       |import org.apache.spark.sql.connector.expressions.Transform;
       |import org.apache.spark.sql.sources.DataSourceRegister;
       |import org.apache.spark.sql.types.StructType;
       |import org.apache.spark.sql.util.CaseInsensitiveStringMap;
       |
       |/**
       | * The class by which Spark finds {@code format("stoplog-$id")}. Loads without any other class of stoplog, and names
       | * the missing jar when the format is used.
       | */
       |public final class ${source.name} implements TableProvider, DataSourceRegister, SessionConfigSupport {
       |  private TableProvider provider;
       |
       |  @Override
       |  public String shortName() {
       |    return "stoplog-$id";
       |  }
       |
       |  @Override
       |  public String keyPrefix() {
       |    return shortName();
       |  }
       |
       |  @Override
       |  public boolean supportsExternalMetadata() {
       |    return named(() -> provider().supportsExternalMetadata());
       |  }
       |
       |  @Override
       |  public StructType inferSchema(CaseInsensitiveStringMap options) {
       |    return named(() -> provider().inferSchema(options));
       |  }
       |
       |  @Override
       |  public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
       |    return named(() -> provider().getTable(schema, partitioning, properties));
       |  }
       |
       |  private synchronized TableProvider provider() {
       |    if (provider == null)
       |      try {
       |        Class<?> found = Class.forName("${source.provider}", true, getClass().getClassLoader());
       |        provider = (TableProvider) found.getConstructor().newInstance();
       |      } catch (ReflectiveOperationException e) {
       |        throw missing(e);
       |      }
       |    return provider;
       |  }
       |
       |  private <A> A named(Supplier<A> work) {
       |    try {
       |      return work.get();
       |    } catch (NoClassDefFoundError e) {
       |      throw missing(e);
       |    }
       |  }
       |
       |  /** The core has all classes of stoplog that this jar does not have; other classes are of the system's client. */
       |  private RuntimeException missing(Throwable cause) {
       |    String found = String.valueOf(cause.getMessage());
       |    String jar =
       |        found.startsWith("stoplog") ? "io.github.stoplog:stoplog_2.13:$version" : "with " + found.replace('/', '.');
       |    return new IllegalArgumentException(
       |        "[STOPLOG_JAR_MISSING] The format " + shortName() + " needs the jar " + jar
       |            + ", which is not on the class path of this Spark session. Add the jar to spark.jars, or set "
       |            + "spark.jars.packages to io.github.stoplog:stoplog-${id}_2.13:$version, which also loads all jars that the "
       |            + "format needs, in a new session.",
       |        cause);
       |  }
       |}
       |""".stripMargin
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Properties;

import org.apache.spark.sql.connector.catalog.SessionConfigSupport;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * What Spark finds as {@code format("stoplog")}. In Java, so that it loads on Spark 3 as well, whose Scala is of another
 * version, and can say there what is needed.
 */
public final class StoplogDataSource implements TableProvider, DataSourceRegister, SessionConfigSupport {
  private static final String LINES = "4.0 to 4.3";

  @Override
  public String shortName() {
    return "stoplog";
  }

  @Override
  public String keyPrefix() {
    return "stoplog";
  }

  /** The rows' schema comes with the write, and may come with a read. */
  @Override
  public boolean supportsExternalMetadata() {
    return true;
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return provider().inferSchema(options);
  }

  @Override
  public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return provider().getTable(schema, partitioning, properties);
  }

  private static TableProvider provider() {
    refuse(org.apache.spark.package$.MODULE$.SPARK_VERSION());
    return new StoplogProvider();
  }

  /** Throws for a Spark on which no other class of this jar would load. */
  static void refuse(String spark) {
    if (Integer.parseInt(spark.substring(0, spark.indexOf('.'))) < 4)
      throw new UnsupportedOperationException(
          "[STOPLOG_SPARK_UNSUPPORTED] stoplog " + version() + " needs Spark " + LINES + ", found " + spark
              + ". Use a Spark of these lines.");
  }

  private static String version() {
    Properties properties = new Properties();
    try (InputStream in = StoplogDataSource.class.getResourceAsStream("/stoplog/version.properties")) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version");
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.servers;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.impl.MetricsRecordImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;

/**
 * One NameNode and one DataNode in a process of their own, told what to do through the standard input. They end
 * with it, and so with the process that started them.
 *
 * <p>Argument: the directory for everything they write. Each answer is one line that begins with {@code answer: }.
 * The first one is the address. Commands: {@code calls} (what clients asked the NameNode for until now),
 * {@code http} (the address for browsers and WebHDFS), {@code restartNameNode}, {@code restartDataNode},
 * {@code stop}.
 */
public final class HdfsServer {
  private static final String COUNT = "NumOps";

  // What logs write to the standard output would fill a pipe that nobody empties between two commands.
  private static final PrintStream ANSWERS = System.out;

  private final MiniDFSCluster cluster;

  private HdfsServer(MiniDFSCluster cluster) {
    this.cluster = cluster;
  }

  public static void main(String[] args) throws Exception {
    System.setOut(System.err);
    File directory = new File(args[0]);
    Configuration configuration = new Configuration();
    configuration.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, directory.getPath());
    configuration.setBoolean("dfs.permissions.enabled", false);
    // Recoveries of blocks travel with heartbeats.
    configuration.setLong("dfs.heartbeat.interval", 1);
    configuration.setInt("dfs.replication", 1);
    MiniDFSCluster cluster =
        new MiniDFSCluster.Builder(configuration, directory).numDataNodes(1).nameNodeHttpPort(0).build();
    cluster.waitActive();
    HdfsServer server = new HdfsServer(cluster);
    answer(server.address());
    server.obey();
    cluster.shutdown(true);
    System.exit(0);
  }

  private void obey() throws Exception {
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      switch (line) {
        case "calls":
          answer(calls());
          break;
        case "http":
          answer("http://127.0.0.1:" + cluster.getNameNode().getHttpAddress().getPort());
          break;
        case "restartNameNode":
          cluster.restartNameNode(true);
          answer(address());
          break;
        case "restartDataNode":
          cluster.restartDataNode(0, true);
          cluster.waitActive();
          answer(address());
          break;
        case "stop":
          return;
        default:
          throw new IllegalArgumentException(line);
      }
    }
  }

  private String address() {
    return "hdfs://127.0.0.1:" + cluster.getNameNodePort();
  }

  /** {@code <name>=<count>} for each kind of call, separated by spaces. */
  private String calls() {
    // Not through JMX, whose figures are up to ten seconds old.
    String source = "RpcDetailedActivityForPort" + cluster.getNameNodePort();
    MetricsCollectorImpl collector = new MetricsCollectorImpl();
    DefaultMetricsSystem.instance().getSource(source).getMetrics(collector, true);
    StringJoiner line = new StringJoiner(" ");
    for (MetricsRecordImpl record : collector.getRecords()) {
      for (AbstractMetric metric : record.metrics()) {
        if (metric.name().endsWith(COUNT)) {
          String call = metric.name().substring(0, metric.name().length() - COUNT.length());
          line.add(call + "=" + metric.value().longValue());
        }
      }
    }
    return line.toString();
  }

  private static void answer(String text) {
    ANSWERS.println("answer: " + text);
    ANSWERS.flush();
  }
}

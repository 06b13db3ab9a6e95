// SPDX-License-Identifier: Apache-2.0
package stoplog.servers;

import java.io.File;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.StringJoiner;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.ipc.CallQueueManager;
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
  private static final int POLL_MILLIS = 100;

  private final MiniDFSCluster cluster;

  private HdfsServer(MiniDFSCluster cluster) {
    this.cluster = cluster;
  }

  public static void main(String[] args) throws Exception {
    Starter.begin();
    File directory = new File(args[0]);
    Configuration configuration = new Configuration();
    configuration.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, directory.getPath());
    configuration.setBoolean("dfs.permissions.enabled", false);
    // Recoveries of blocks travel with heartbeats.
    configuration.setLong("dfs.heartbeat.interval", 1);
    configuration.setInt("dfs.replication", 1);
    // It gives up after ten seconds by itself if it is to wait.
    MiniDFSCluster cluster =
        new MiniDFSCluster.Builder(configuration, directory)
            .numDataNodes(1)
            .nameNodeHttpPort(0)
            .waitSafeMode(false)
            .build();
    while (!cluster.isClusterUp()) Thread.sleep(POLL_MILLIS);
    cluster.waitActive();
    HdfsServer server = new HdfsServer(cluster);
    Starter.answer(server.address());
    Starter.obey(server::obey, () -> cluster.shutdown(true));
  }

  private String obey(String command) throws Exception {
    switch (command) {
      case "calls":
        return calls();
      case "http":
        return "http://127.0.0.1:" + cluster.getNameNode().getHttpAddress().getPort();
      case "restartNameNode":
        cluster.restartNameNode(true);
        return address();
      case "restartDataNode":
        cluster.restartDataNode(0, true);
        cluster.waitActive();
        return address();
      default:
        throw new IllegalArgumentException(command);
    }
  }

  private String address() {
    return "hdfs://127.0.0.1:" + cluster.getNameNodePort();
  }

  /** {@code <name>=<count>} for each kind of call, separated by spaces. */
  private String calls() throws InterruptedException {
    waitForHandlers();
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

  /** A handler counts a call only after it has sent the answer, so each must once have come to its next call. */
  private void waitForHandlers() throws InterruptedException {
    String port = " on default port " + cluster.getNameNodePort();
    Set<Thread> busy = new HashSet<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("IPC Server handler") && thread.getName().endsWith(port)) busy.add(thread);
    }
    if (busy.isEmpty()) throw new IllegalStateException("The NameNode has no handlers" + port);
    while (!busy.isEmpty()) {
      busy.removeIf(HdfsServer::waitsForCall);
      Thread.sleep(1);
    }
  }

  private static boolean waitsForCall(Thread handler) {
    return Arrays.stream(handler.getStackTrace())
        .anyMatch(
            frame ->
                frame.getClassName().equals(CallQueueManager.class.getName())
                    && frame.getMethodName().equals("take"));
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.db.SizeEstimatesRecorder;
import org.apache.cassandra.service.CassandraDaemon;
import org.apache.cassandra.service.StorageService;

/**
 * One node of Cassandra in a process of its own, told what to do through the standard input. It ends with it, and so
 * with the process that started it.
 *
 * <p>Argument: the directory for everything it writes. Started again over the same directory it has the same data and
 * the same address. Each answer is one line that begins with {@code answer: }; the first one is the address. Commands:
 * {@code estimate <keyspace>} (writes the keyspace to disk and counts its partitions, as else happens every five
 * minutes), {@code cql <statement>} (for whoever has no driver), {@code stop}.
 */
public final class CassandraServer {
  // What logs write to the standard output would fill a pipe that nobody empties between two commands.
  private static final PrintStream ANSWERS = System.out;

  private CassandraServer() {}

  public static void main(String[] args) throws Exception {
    System.setOut(System.err);
    Path directory = Path.of(args[0]).toAbsolutePath();
    List<String> ports = ports(directory.resolve("ports"));
    Path configuration = directory.resolve("cassandra.yaml");
    Files.writeString(configuration, configuration(directory, ports.get(0), ports.get(1)));
    System.setProperty("cassandra.config", configuration.toUri().toString());
    System.setProperty("cassandra.storagedir", directory.toString());
    System.setProperty("cassandra-foreground", "yes");
    // A ring of one node has nobody to wait for.
    System.setProperty("cassandra.ring_delay_ms", "100");
    System.setProperty("cassandra.skip_wait_for_gossip_to_settle", "0");
    System.setProperty("cassandra.superuser_setup_delay_ms", "0");
    new CassandraDaemon(false).activate();
    answer("127.0.0.1:" + ports.get(0));
    obey();
    // Else the end of the process would wait for what is under way.
    Runtime.getRuntime().halt(0);
  }

  private static void obey() throws Exception {
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null && !line.equals("stop"); line = commands.readLine()) {
      String[] words = line.split(" ", 2);
      switch (words[0]) {
        case "estimate":
          StorageService.instance.forceKeyspaceFlush(words[1]);
          SizeEstimatesRecorder.instance.run();
          break;
        case "cql":
          QueryProcessor.process(words[1], ConsistencyLevel.ONE);
          break;
        default:
          throw new IllegalArgumentException(line);
      }
      answer("done");
    }
  }

  /** For clients, and for other nodes. */
  private static List<String> ports(Path file) throws IOException {
    if (!Files.exists(file)) {
      try (ServerSocket clients = freePort(); ServerSocket nodes = freePort()) {
        Files.write(file, List.of("" + clients.getLocalPort(), "" + nodes.getLocalPort()));
      }
    }
    return Files.readAllLines(file);
  }

  private static ServerSocket freePort() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  private static String configuration(Path directory, String clients, String nodes) {
    return String.join(
        "\n",
        "cluster_name: test",
        // Several ranges, so that there is something to split by.
        "num_tokens: 4",
        "partitioner: org.apache.cassandra.dht.Murmur3Partitioner",
        "commitlog_sync: periodic",
        "commitlog_sync_period: 10000ms",
        "commitlog_segment_size: 4MiB",
        "data_file_directories: [" + directory.resolve("data") + "]",
        "commitlog_directory: " + directory.resolve("commitlog"),
        "saved_caches_directory: " + directory.resolve("saved_caches"),
        "hints_directory: " + directory.resolve("hints"),
        "cdc_raw_directory: " + directory.resolve("cdc_raw"),
        "listen_address: 127.0.0.1",
        "rpc_address: 127.0.0.1",
        "storage_port: " + nodes,
        "native_transport_port: " + clients,
        "start_native_transport: true",
        "endpoint_snitch: SimpleSnitch",
        "seed_provider:",
        "  - class_name: org.apache.cassandra.locator.SimpleSeedProvider",
        "    parameters:",
        "      - seeds: \"127.0.0.1:" + nodes + "\"",
        "concurrent_reads: 4",
        "concurrent_writes: 4",
        "concurrent_compactors: 1",
        "memtable_heap_space: 32MiB",
        "memtable_offheap_space: 32MiB",
        "file_cache_size: 16MiB",
        "networking_cache_size: 16MiB",
        "key_cache_size: 4MiB",
        "authenticator: AllowAllAuthenticator",
        "dynamic_snitch: false",
        "auto_snapshot: false",
        "");
  }

  private static void answer(String text) {
    ANSWERS.println("answer: " + text);
    ANSWERS.flush();
  }
}

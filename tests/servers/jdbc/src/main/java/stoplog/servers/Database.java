// SPDX-License-Identifier: Apache-2.0
package stoplog.servers;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Stream;

/**
 * A database server below a directory, told what to do through the standard input, with which it ends.
 *
 * <p>Arguments of the main classes: the directory for everything that is written. Each answer is one line that begins
 * with {@code answer: }. The first one is the JDBC URL. Commands: {@code crash} ({@code kill -9} of all processes of the
 * server), {@code start} (again, on the same port and data), {@code stop}, and SQL, of which a query answers its rows: columns with
 * commas and rows with semicolons between them.
 */
abstract class Database {
  private String url;

  /** Starts the server and returns its URL when it takes connections. */
  abstract String start() throws Exception;

  /** The process whose end is the server's. */
  abstract ProcessHandle main() throws Exception;

  static void run(Database database) throws Exception {
    Starter.begin();
    Runtime.getRuntime().addShutdownHook(new Thread(database::crashQuietly));
    database.url = database.start();
    Starter.answer(database.url);
    Starter.obey(database::obey, database::crashQuietly);
  }

  private String obey(String command) throws Exception {
    switch (command) {
      case "crash":
        crash();
        return "crashed";
      case "start":
        return start();
      default:
        return sql(command);
    }
  }

  private String sql(String text) throws SQLException {
    StringJoiner rows = new StringJoiner(";");
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      if (!statement.execute(text)) return "done";
      ResultSet result = statement.getResultSet();
      while (result.next()) {
        StringJoiner row = new StringJoiner(",");
        for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) row.add(result.getString(i));
        rows.add(row.toString());
      }
    }
    return rows.toString();
  }

  private void crash() throws Exception {
    ProcessHandle main = main();
    List<ProcessHandle> all = Stream.concat(Stream.of(main), main.descendants()).toList();
    all.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle each : all) each.onExit().join();
  }

  private void crashQuietly() {
    try {
      crash();
    } catch (Exception e) {
      // It was not up.
    }
  }

  static Path directory(String[] args) {
    return Path.of(args[0]).toAbsolutePath();
  }
}

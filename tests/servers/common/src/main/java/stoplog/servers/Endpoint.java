// SPDX-License-Identifier: Apache-2.0
package stoplog.servers;

import java.io.IOException;
import java.net.BindException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/** Where a server answers: each start over one directory uses the same port, so that clients find it again. */
record Endpoint(int port) {
  private static final int POLL_MILLIS = 50;
  private static final int MAX_TRIES = 100;

  static Endpoint of(Path directory) throws IOException {
    Path file = Files.createDirectories(directory).resolve("port");
    if (!Files.exists(file)) Files.writeString(file, Integer.toString(freePort()));
    return new Endpoint(Integer.parseInt(Files.readString(file)));
  }

  String uri() {
    return "http://127.0.0.1:" + port;
  }

  /** Returns when there is an answer to a request, whatever it is. */
  void awaitAnswer() throws Exception {
    while (!answers()) Thread.sleep(POLL_MILLIS);
  }

  private boolean answers() {
    try {
      HttpURLConnection connection = (HttpURLConnection) URI.create(uri()).toURL().openConnection();
      try {
        return connection.getResponseCode() > 0;
      } finally {
        connection.disconnect();
      }
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Not of those that the system hands out to a process that asks for any (32768 and above on Linux): a server takes its port
   * only seconds later, and again after each restart, and by then another process would have it.
   */
  static int freePort() throws IOException {
    for (int tries = 0; ; tries++) {
      int port = ThreadLocalRandom.current().nextInt(12000, 32000);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return port;
      } catch (BindException e) {
        if (tries == MAX_TRIES) throw e;
      }
    }
  }
}

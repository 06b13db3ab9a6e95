// SPDX-License-Identifier: Apache-2.0
package stoplog.servers;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where a server answers: each start over one directory uses the same port, so that clients find it again. */
record Endpoint(int port) {
  private static final int POLL_MILLIS = 50;

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

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}

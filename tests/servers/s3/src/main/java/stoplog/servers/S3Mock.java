// SPDX-License-Identifier: Apache-2.0
package stoplog.servers;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Adobe's S3Mock, strict about ETags, sizes of parts and conditional writes. It keeps everything, unfinished uploads
 * too, in the directory that is its only argument, and takes any credentials.
 */
public final class S3Mock {
  private static final String SETTINGS = "com.adobe.testing.s3mock.";

  private S3Mock() {}

  public static void main(String[] args) throws Exception {
    Starter.follow();
    Path directory = Path.of(args[0]);
    Endpoint endpoint = Endpoint.of(directory);
    Path root = Files.createDirectories(directory.resolve("root"));
    System.setProperty("server.port", "0"); // of https, which no test asks for
    System.setProperty(SETTINGS + "httpPort", Integer.toString(endpoint.port()));
    System.setProperty(SETTINGS + "store.root", root.toString());
    System.setProperty(SETTINGS + "store.retainFilesOnExit", "true");
    System.setProperty(SETTINGS + "store.initialBuckets", String.join(",", Bucket.ALL));
    Main.run("org.springframework.boot.loader.launch.JarLauncher");
    endpoint.awaitAnswer();
    Starter.answer(endpoint.uri());
  }
}

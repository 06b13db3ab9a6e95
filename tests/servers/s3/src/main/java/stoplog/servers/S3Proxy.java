// SPDX-License-Identifier: Apache-2.0
package stoplog.servers;

import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * S3Proxy over plain files: quick to start, and it verifies signatures. It keeps everything in the directory that is
 * its only argument.
 */
public final class S3Proxy {
  private S3Proxy() {}

  public static void main(String[] args) throws Exception {
    Starter.follow();
    Path directory = Path.of(args[0]);
    Endpoint endpoint = Endpoint.of(directory);
    Path root = directory.resolve("root");
    for (String bucket : Bucket.ALL) {
      Files.createDirectories(root.resolve(bucket));
    }
    Path file = directory.resolve("s3proxy.properties");
    try (Writer writer = Files.newBufferedWriter(file)) {
      settings(endpoint, root).store(writer, null);
    }
    Main.run("org.gaul.s3proxy.Main", "--properties", file.toString());
    endpoint.awaitAnswer();
    Starter.answer(endpoint.uri());
  }

  private static Properties settings(Endpoint endpoint, Path root) {
    Properties settings = new Properties();
    settings.setProperty("s3proxy.endpoint", endpoint.uri());
    settings.setProperty("s3proxy.authorization", "aws-v2-or-v4");
    settings.setProperty("s3proxy.identity", Bucket.NAME);
    settings.setProperty("s3proxy.credential", Bucket.NAME);
    settings.setProperty("jclouds.provider", "filesystem-nio2");
    settings.setProperty("jclouds.filesystem.basedir", root.toString());
    return settings;
  }
}

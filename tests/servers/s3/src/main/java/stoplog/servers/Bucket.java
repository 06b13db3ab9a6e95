// SPDX-License-Identifier: Apache-2.0
package stoplog.servers;

import java.util.List;

/** The buckets that every S3 server has from its start; the access key and the secret are named like the first. */
final class Bucket {
  static final String NAME = "stoplog";

  /** Hadoop keeps one client for a bucket, whatever its settings: so each kind of client has one of its own. */
  static final List<String> ALL =
      List.of(
          NAME,
          "stoplog-requests",
          "stoplog-faults",
          "stoplog-single-deletes",
          "stoplog-settings",
          "stoplog-permissions",
          "stoplog-stream-requests",
          "stoplog-checksums",
          "stoplog-atomic",
          "stoplog-qualify",
          "stoplog-qualify-early",
          "stoplog-qualify-faulty",
          "stoplog-other-make");

  private Bucket() {}
}

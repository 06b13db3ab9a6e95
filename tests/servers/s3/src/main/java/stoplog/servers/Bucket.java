package stoplog.servers;

/** The bucket that every S3 server has from its start; the access key and the secret are named like it. */
final class Bucket {
  static final String NAME = "stoplog";

  private Bucket() {}
}

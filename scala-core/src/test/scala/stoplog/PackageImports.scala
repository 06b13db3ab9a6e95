// SPDX-License-Identifier: Apache-2.0
package stoplog

/** What each package of the core and of the connectors may import from others: the map of docs/correctness/architecture.md in full. */
object PackageImports {

  /** By the names below `stoplog`; `root` is `stoplog` itself. */
  val allowed: Map[String, Set[String]] = Map(
    "admin" -> ("announce.table checkpoint commit error fault format.bulk log options part qualify storage " +
      "stores thread writing"),
    "announce"          -> "",
    "announce.catalog"  -> "announce announce.setting error options storage",
    "announce.setting"  -> "error options",
    "announce.table"    -> "announce error options storage",
    "announce.webhook"  -> "announce announce.setting error options thread",
    "async"             -> "error",
    "bucket"            -> "error log storage util writing",
    "bucketing"         -> "bucket format options util",
    "cassandra"         -> "cassandra.client cassandra.options",
    "cassandra.client"  -> "error options thread",
    "cassandra.options" -> "cassandra.client options",
    "cassandra.read"    -> "cassandra.client cassandra.options cassandra.schema cassandra.types source",
    "cassandra.schema"  -> "cassandra.client cassandra.options util",
    "cassandra.spark" -> ("cassandra.client cassandra.options cassandra.read cassandra.schema cassandra.write " +
      "commit engine error fault source spark"),
    "cassandra.types" -> "util",
    "cassandra.wal"   -> ("cassandra.client cassandra.options cassandra.schema cassandra.write error fault " +
      "options wal"),
    "cassandra.write" -> ("cassandra.client cassandra.options cassandra.schema cassandra.types commit fault log " +
      "thread util"),
    "checkpoint"  -> "commit error fault log sink source storage storage.systems",
    "commit"      -> "announce error fault log part plan rolling sink storage thread writing",
    "compact"     -> "error fault part storage",
    "compact.job" -> ("commit compact error fault format format.avro format.compress format.orc " +
      "format.parquet format.sequence options part storage storage.hadoop stores thread util"),
    "delta"    -> "announce announce.setting announce.table error fault options storage",
    "engine"   -> "commit error plan sink thread",
    "error"    -> "",
    "fault"    -> "",
    "filesink" -> ("bucket checkpoint commit compact compact.job engine error fault format format.avro " +
      "format.bulk format.compress format.orc format.parquet format.read format.sequence log " +
      "options part plan preflight rolling sink storage storage.s3 stores thread util writing"),
    "filesource"  -> "checkpoint error fault format.read options source source.file storage storage.systems",
    "format"      -> "compact error format.bulk format.compress format.read part sink",
    "format.avro" -> "compact error format format.bulk format.compress part writing",
    "format.bulk" -> "compact error part storage thread util writing",
    "format.compress" -> "",
    "format.orc"      -> "compact format format.bulk part",
    "format.parquet"  -> "compact error format format.bulk part",
    "format.read"     -> "bucket error format.bulk source source.file source.format storage",
    "format.sequence" -> "compact error format.bulk format.compress part writing",
    "iceberg"         -> "announce announce.setting announce.table options storage",
    "jdbc"            -> "jdbc.options options",
    "jdbc.announce"   -> ("announce announce.setting error jdbc.client jdbc.options jdbc.rows jdbc.staging " +
      "jdbc.table options"),
    "jdbc.client"  -> "error fault jdbc.rows jdbc.types thread",
    "jdbc.options" -> "commit error jdbc.client options writing",
    "jdbc.rejects" -> "format jdbc.client jdbc.rows jdbc.table jdbc.types",
    "jdbc.rows"    -> "jdbc.types",
    "jdbc.spark" -> ("engine error fault jdbc jdbc.client jdbc.options jdbc.rejects jdbc.rows jdbc.staging " +
      "jdbc.table jdbc.write options spark thread"),
    "jdbc.staging" -> "commit engine fault jdbc.client jdbc.rejects jdbc.rows jdbc.table log thread",
    "jdbc.table"   -> "jdbc.client jdbc.options jdbc.rows jdbc.types util",
    "jdbc.types"   -> "format",
    "jdbc.wal" -> ("fault jdbc.client jdbc.options jdbc.rejects jdbc.staging jdbc.table jdbc.write options " +
      "wal"),
    "jdbc.write" -> ("fault jdbc.client jdbc.options jdbc.rejects jdbc.rows jdbc.staging jdbc.table " +
      "jdbc.types util"),
    "kafka"          -> "error kafka.client kafka.options options",
    "kafka.announce" -> ("announce announce.setting error kafka.client kafka.options kafka.transaction " +
      "options thread"),
    "kafka.client"  -> "error options thread",
    "kafka.options" -> "commit error kafka.client options util",
    "kafka.spark" -> ("engine error format kafka.client kafka.options kafka.transaction options part sink " +
      "spark thread twophase"),
    "kafka.transaction" -> "error kafka.client options part sink thread",
    "log"               -> "error fault part rolling storage",
    "options" -> ("announce bucket commit error format format.bulk format.read rolling source source.file " +
      "source.format storage util writing"),
    "part"            -> "rolling",
    "plan"            -> "log part rolling sink",
    "preflight"       -> "bucket error log part rolling storage",
    "python"          -> "error options thread",
    "python.announce" -> "announce options python",
    "python.sink"     -> "error format options python sink spark thread",
    "python.rolling"  -> "options python rolling",
    "python.source"   -> "format.read options python source source.file storage",
    "qualify"         -> "error fault part sink storage thread",
    "rolling"         -> "",
    "root" -> ("announce bucket bucketing commit compact compact.job engine error filesink format format.bulk " +
      "format.read options preflight rolling source.file source.format spark thread util"),
    "sink"          -> "error part",
    "source"        -> "error fault log storage",
    "source.file"   -> "error fault part source source.format storage thread",
    "source.format" -> "",
    "spark" -> "checkpoint engine error filesink filesource format.read options sink source thread twophase",
    "storage"         -> "error fault part sink",
    "storage.hadoop"  -> "error fault part sink storage",
    "storage.hdfs"    -> "error fault part sink storage storage.hadoop thread",
    "storage.local"   -> "error fault part sink storage thread",
    "storage.s3"      -> "error fault part sink storage storage.hadoop thread",
    "storage.systems" -> "error storage storage.hadoop storage.hdfs storage.s3",
    "stores"          -> "commit error fault log part preflight rolling storage writing",
    "thread"          -> "",
    "twophase"        -> ("commit engine error fault options part plan sink storage storage.systems stores " +
      "thread"),
    "util" -> "error",
    "wal"  -> ("commit error fault format format.bulk log options part python sink spark storage stores " +
      "thread twophase util"),
    "writing" -> "error fault part plan rolling storage thread"
  ).view.mapValues(_.split(" ").filter(_.nonEmpty).toSet).toMap
}

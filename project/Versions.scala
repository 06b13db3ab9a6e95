/** Every version this build depends on, in one place. The Makefile and the wheel read stoplog's own from here. */
object Versions {
  val stoplog   = "0.1.0"
  val scala     = "2.13.18"
  val spark     = "4.2.0" // compiled against; the same jar runs on 4.0 to 4.3
  val scalatest = "3.2.20"

  // Of the servers that tests start. Their HDFS client is Spark's own.
  val hadoop  = "3.5.0"
  val s3mock  = "5.2.0"
  val s3proxy = "4.1.0"
  val awsSdk  = "2.35.4" // the one that hadoop-aws names
}

/** Every version this build depends on, in one place. The Makefile and the wheel read stoplog's own from here. */
object Versions {
  val stoplog   = "0.1.0"
  val scala     = "2.13.18"
  val spark     = "4.2.0"  // compiled against; the same jar runs on 4.0 to 4.3
  val scalatest = "3.2.20"
  val hadoop    = "3.5.0"  // that of the Spark compiled against: of the servers and of S3A in tests
  val awsSdk    = "2.35.4" // that of this Hadoop
  val s3mock    = "5.2.0"
}

package stoplog.store.s3

import java.net.{HttpURLConnection, InetAddress, ServerSocket, URI}
import java.nio.file.{Files, Path, Paths}

import scala.util.Try

/** An S3 server in a process of its own, which tests may kill and start again over the same data. */
final class S3MockServer private (port: Int, tlsPort: Int, data: Path) {
  private var process = launch()

  val endpoint: String = s"http://127.0.0.1:$port"

  /** Returns when it answers. */
  def awaitReady(): Unit = {
    val deadline = System.nanoTime() + S3MockServer.StartNanos
    while (!answers) {
      if (!process.isAlive) throw new AssertionError(s"S3Mock ended with ${process.exitValue()}: see $log")
      if (System.nanoTime() > deadline) throw new AssertionError(s"S3Mock does not answer: see $log")
      Thread.onSpinWait()
    }
  }

  /** As `kill -9` and a start on the same data. */
  def restart(): Unit = {
    stop()
    process = launch()
    awaitReady()
  }

  def stop(): Unit = {
    process.getOutputStream.close()
    process.waitFor()
    ()
  }

  private def log: Path = data.resolve("server.log")

  private def answers: Boolean = Try {
    val connection = new URI(endpoint).toURL.openConnection().asInstanceOf[HttpURLConnection]
    connection.setConnectTimeout(500)
    connection.setReadTimeout(5000)
    try connection.getResponseCode > 0
    finally connection.disconnect()
  }.getOrElse(false)

  private def launch(): Process = {
    val java = Paths.get(System.getProperty("java.home"), "bin", "java").toString
    new ProcessBuilder(
      "sh",
      "-c",
      S3MockServer.UntilInputEnds,
      "sh",
      java,
      "-Xmx300m",
      "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1",
      s"-Dserver.port=$tlsPort",
      s"-Dcom.adobe.testing.s3mock.httpPort=$port",
      s"-Dcom.adobe.testing.s3mock.store.root=${Files.createDirectories(data.resolve("root"))}",
      "-Dcom.adobe.testing.s3mock.store.retainFilesOnExit=true",
      s"-Dcom.adobe.testing.s3mock.store.initialBuckets=${S3Bucket.names.mkString(",")}",
      "-jar",
      System.getProperty("stoplog.test.s3mock")
    ).redirectErrorStream(true).redirectOutput(log.toFile).start()
  }
}

object S3MockServer {

  /** One for all suites of this JVM; ends with it. */
  lazy val shared: S3MockServer = {
    val server = start()
    Runtime.getRuntime.addShutdownHook(new Thread(() => server.stop()))
    server
  }

  def start(): S3MockServer = {
    val (port, tlsPort) = freePorts()
    val server          = new S3MockServer(port, tlsPort, Files.createTempDirectory("stoplog-s3mock"))
    try server.awaitReady()
    catch { case e: Throwable => server.stop(); throw e }
    server
  }

  /** Two that differ, because both are held until both are known. */
  private def freePorts(): (Int, Int) = {
    val first  = new ServerSocket(0, 1, InetAddress.getLoopbackAddress)
    val second = new ServerSocket(0, 1, InetAddress.getLoopbackAddress)
    try (first.getLocalPort, second.getLocalPort)
    finally { first.close(); second.close() }
  }

  /** Kills the server when whoever started it closes the pipe, or dies. */
  private val UntilInputEnds = """"$@" < /dev/null & read -r _; kill -9 $!; wait"""

  private val StartNanos = 90L * 1000 * 1000 * 1000
}

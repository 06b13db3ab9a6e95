package stoplog.store.hdfs

import java.io.{BufferedReader, InputStreamReader, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

/** One HDFS for all tests of this JVM, in a process of its own; it ends with this one. */
object MiniHdfs {
  private lazy val server = new Server(Files.createTempDirectory("stoplog-hdfs"))

  /** `hdfs://<host>:<port>` */
  def uri: String = server.uri

  /** How often each method of the NameNode has been called by clients until now. */
  def calls(): Map[String, Long] = server
    .ask("calls")
    .split(' ')
    .filter(_.nonEmpty)
    .map(count)
    .filterNot { case (name, _) => Others.exists(name.matches) }
    .toMap

  private def count(text: String): (String, Long) = {
    val (name, number) = text.splitAt(text.indexOf('='))
    name -> number.drop(1).toLong
  }

  /** What DataNodes ask for, what clients do now and then however many files they write, and other names for a call. */
  private val Others = Seq(
    "SendHeartbeat", "BlockReport", "BlockReceivedAndDeleted", "CommitBlockSynchronization",
    "RegisterDatanode", "VersionRequest", "SendLifeline", "ErrorReport", "RenewLease", "GetServerDefaults",
    "Overall.*", ".*Exception"
  )

  private final class Server(directory: Path) {
    private val process = new ProcessBuilder(
      Paths.get(System.getProperty("java.home"), "bin", "java").toString,
      "-Xmx384m",
      "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1",
      "-cp",
      System.getProperty("stoplog.hdfsServer"),
      "stoplog.servers.HdfsServer",
      directory.toString
    ).redirectError(directory.resolve("log").toFile).start()

    private val commands = new PrintStream(process.getOutputStream, true, UTF_8)
    private val answers  = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8))

    val uri: String = answer()

    def ask(command: String): String = synchronized {
      commands.println(command)
      answer()
    }

    private def answer(): String = Iterator
      .continually(answers.readLine())
      .takeWhile(_ != null)
      .collectFirst { case line if line.startsWith(Mark) => line.drop(Mark.length) }
      .getOrElse(
        throw new AssertionError(
          s"the HDFS server ended with ${process.waitFor()}: ${Files.readString(directory.resolve("log"))}"
        )
      )
  }

  private val Mark = "answer: "
}

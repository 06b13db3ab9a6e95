// SPDX-License-Identifier: Apache-2.0
package stoplog.python

import java.io.File
import java.util.{Map => JMap}

import org.apache.spark.{SparkEnv, SparkFiles}

import stoplog.error.PythonErrors
import stoplog.options.{OptionReader, PythonOptions, SparkOptions}

/** The Python of the driver and of executors: whether user code may run on the driver, and which Python. */
private[stoplog] object DriverPython {

  /** The setting by which an operator forbids Python on the driver. Read from the configuration of the
    * SparkContext only, which no session and no client of Spark Connect can change.
    */
  val Allowed = "spark.stoplog.pythonOnDriver"

  /** Throws `STOPLOG_PYTHON_FORBIDDEN` if the operator forbids Python on the driver.
    *
    * @param owner the class of the user, for the message
    */
  def refuseIfForbidden(owner: String): Unit =
    if (!SparkEnv.get.conf.getBoolean(Allowed, defaultValue = true))
      throw PythonErrors.forbidden(owner, s"$Allowed=false")

  /** Returns the command of a process on this machine.
    *
    * In a classic session, the options name the Python of the user's process, which is also on the driver's
    * machine. A client of Spark Connect is on another machine: its options name no Python, and the settings
    * of the server decide. Executors use the Python of Spark's own workers.
    */
  def command(options: JMap[String, String]): PythonCommand = {
    val passed = SparkOptions.caseless(options)
    val reader = new OptionReader(SparkOptions.spelled(options), Seq(PythonOptions.Timeout))
    val millis = reader(PythonOptions.Timeout)
    reader.errors.throwIfAny()
    val ofUser = Option(passed.get(PythonOptions.Executable)).filter(_ => isDriver)
    PythonCommand(
      ofUser.getOrElse(if (isDriver) ofDriver else ofWorkers),
      Option(passed.get(PythonOptions.Path))
        .filter(_ => ofUser.isDefined)
        .fold(ofInstallation)(split) ++ files,
      Option(passed.get(PythonOptions.Version)),
      millis
    )
  }

  private def isDriver: Boolean = SparkEnv.get.executorId == "driver"

  private def ofDriver: String = setting("spark.pyspark.driver.python").getOrElse(ofWorkers)

  private def ofWorkers: String = setting("spark.pyspark.python")
    .orElse(Option(System.getenv("PYSPARK_PYTHON")))
    .getOrElse("python3")

  /** The pyspark of Spark's installation, whose archives contain py4j. */
  private def ofInstallation: Seq[String] = {
    val home     = Option(System.getenv("SPARK_HOME")).orElse(setting("spark.home")).toSeq
    val archives = home.flatMap(at => Option(new File(at, "python/lib").listFiles()).toSeq.flatten)
    home.map(_ + "/python") ++ archives.map(_.getPath).filter(_.endsWith(".zip")).sorted
  }

  /** What `--py-files` has brought to this machine. */
  private def files: Seq[String] = {
    val root  = SparkFiles.getRootDirectory()
    val named = setting("spark.submit.pyFiles").fold(Seq.empty[String])(_.split(",").toSeq)
    root +: named.filter(_.nonEmpty).map(file => s"$root/${new File(file).getName}")
  }

  private def split(path: String): Seq[String] = path.split(File.pathSeparatorChar).toSeq

  private def setting(key: String): Option[String] = SparkEnv.get.conf.getOption(key)
}

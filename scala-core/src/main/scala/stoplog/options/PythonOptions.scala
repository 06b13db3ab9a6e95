// SPDX-License-Identifier: Apache-2.0
package stoplog.options

/** The options of user code in Python. The Python package sets all options except [[Timeout]]. */
private[stoplog] object PythonOptions {

  val Timeout: Opt[Long] =
    OptionGroup.Recovery.withDefault("pythonTimeout", OptionType.span, 5 * 60 * 1000L, "30s")(
      "The longest time of a call of user code in the driver's Python process, such as a commit. A longer call " +
        "ends the query with `STOPLOG_PYTHON_TIMEOUT`, and the next start repeats the call."
    )

  /** The class of the user, for messages. */
  val Owner = "python.class"

  /** A pickled function without arguments that returns the object of the user, in Base64. */
  val Pickled = "python.pickled"

  /** The `major.minor` of the Python that made the pickle. */
  val Version = "python.version"

  /** The Python of the user's process, unless that is on another machine than the driver. */
  val Executable = "python.executable"

  /** Where that Python finds modules. */
  val Path = "python.path"
}

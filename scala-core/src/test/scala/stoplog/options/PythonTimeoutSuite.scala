// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.scalatest.funsuite.AnyFunSuite

class PythonTimeoutSuite extends AnyFunSuite {

  private def timeouts(registry: Seq[Opt[_]], option: Opt[_])(
      options: (String, String)*
  ): Seq[(String, String)] =
    new OptionReader(options, registry)
      .parametersOf(option)
      .filter(_._1.toLowerCase.endsWith("pythontimeout"))

  test("pythonTimeout applies to each function and class in Python") {
    assert(
      timeouts(SinkOptionRegistry.all, RollingOptions.RollingPolicy)(
        "rollingPolicy.python.pickled" -> "gA",
        "PYTHONTIMEOUT"                -> "9m"
      ) === Seq("pythonTimeout" -> "9m")
    )
    assert(
      timeouts(SinkOptionRegistry.all, AnnounceOptions.Announce)(
        "announce.hive.python.pickled" -> "gA",
        "announce.kafka.topic"         -> "files",
        "pythonTimeout"                -> "9m"
      ) === Seq("hive.pythonTimeout" -> "9m")
    )
    assert(
      timeouts(SourceOptionRegistry.all, FileOptions.FileEnumerator)(
        "fileEnumerator.python.pickled" -> "gA",
        "pythonTimeout"                 -> "9m"
      ) === Seq("pythonTimeout" -> "9m")
    )
  }

  test("a timeout of one function precedes the common timeout") {
    assert(
      timeouts(SinkOptionRegistry.all, RollingOptions.RollingPolicy)(
        "rollingPolicy.python.pickled" -> "gA",
        "rollingPolicy.pythontimeout"  -> "1m",
        "pythonTimeout"                -> "9m"
      ) === Seq("pythontimeout" -> "1m")
    )
  }

  test("a class on the JVM has no timeout of Python") {
    assert(
      timeouts(SinkOptionRegistry.all, RollingOptions.RollingPolicy)(
        "rollingPolicy.rows" -> "5",
        "pythonTimeout"      -> "9m"
      ) === Nil
    )
  }
}

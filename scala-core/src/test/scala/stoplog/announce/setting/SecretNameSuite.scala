// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.setting

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

class SecretNameSuite extends AnyFunSuite {
  private val secrets = new Secrets(Map("TOKEN" -> "one\n").get(_), Map("spark.app.token" -> "two").get(_))

  private def read(text: String): String =
    SecretName.values.parse(text).map(_.read(secrets)).fold(fail(_), identity)

  test("reads secrets of the environment, of files and of Spark's configuration") {
    val file = Files.writeString(Files.createTempFile("secret", ""), "three\n")
    assert(read("env:TOKEN") === "one")
    assert(read(" conf:spark.app.token ") === "two")
    assert(read(s"file:$file") === "three")
    Files.writeString(file, "four")
    assert(read(s"file:$file") === "four")
  }

  test("a missing secret is reported with its place and name") {
    for (
      (name, why) <- Seq(
        "env:NONE"          -> "the environment variable NONE is missing or empty",
        "file:/nowhere/x"   -> "the file /nowhere/x is missing or empty",
        "conf:spark.app.no" -> "the Spark setting spark.app.no is missing or empty"
      )
    ) assert(intercept[IllegalStateException](read(name)).getMessage === why)
  }

  test("a secret in place of a name is rejected") {
    for (text <- Seq("hunter2", "env:", "vault:x", "ENV"))
      assert(SecretName.values.parse(text).left.exists(_.contains("never the secret itself")), text)
    assert(SecretName.values.parse("env:A").map(SecretName.values.render) === Right("env:A"))
  }
}

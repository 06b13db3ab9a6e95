// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.nio.charset.StandardCharsets.{ISO_8859_1, US_ASCII, UTF_8}

import org.scalatest.funsuite.AnyFunSuite

class NativeNamesSuite extends AnyFunSuite {

  test("a name is rejected if the JVM's locale does not have its characters, with a remedy") {
    val problem = NativeNames.problem("city=M\u00fcnchen", Some(US_ASCII))
    assert(problem.exists(why => why.contains("US-ASCII") && why.contains("LC_ALL=C.UTF-8")))
    assert(NativeNames.problem("city=M\u00fcnchen", Some(ISO_8859_1)) === None)
    assert(NativeNames.problem("\u20ac", Some(ISO_8859_1)).isDefined)
    assert(NativeNames.problem("city=Bonn", Some(US_ASCII)) === None)
    assert(NativeNames.problem("\u20ac", Some(UTF_8)) === None)
    assert(NativeNames.problem("\u20ac", None) === None)
  }
}

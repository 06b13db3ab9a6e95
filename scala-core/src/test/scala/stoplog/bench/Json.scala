// SPDX-License-Identifier: Apache-2.0
package stoplog.bench

import java.nio.file.{Files, Path}

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule

private object Json {
  def write(file: Path, value: Any): Unit = {
    Files.write(file, new ObjectMapper().registerModule(DefaultScalaModule).writeValueAsBytes(value))
    ()
  }
}

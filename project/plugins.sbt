addSbtPlugin("org.scalameta" % "sbt-scalafmt" % "2.6.2")

libraryDependencies += "org.ow2.asm" % "asm" % "9.8" // takes out of the jar what only compilers read

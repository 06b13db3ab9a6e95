// SPDX-License-Identifier: Apache-2.0
addSbtPlugin("org.scalameta"  % "sbt-scalafmt"    % "2.6.2")
addSbtPlugin("com.typesafe"   % "sbt-mima-plugin" % "1.1.5") // binary compatibility
addSbtPlugin("com.github.sbt" % "sbt-sbom"        % "0.5.0") // bills of materials

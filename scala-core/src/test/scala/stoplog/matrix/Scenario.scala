// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Step

/** The place and the rows that a query writes. */
final case class Scenario(storage: Storage, layout: Layout, content: Content) {
  def name: String = s"${layout.name}/${content.name}"

  /** Those that a query passes here. */
  def steps: Vector[Step] = storage.steps.filterNot(content.without) ++ content.besides

  def newPlace(): Place = storage.newPlace(layout, content)
}

object Scenario {
  def all(storage: Storage): Vector[Scenario] = for {
    layout  <- storage.layouts
    content <- storage.contents
  } yield Scenario(storage, layout, content)
}

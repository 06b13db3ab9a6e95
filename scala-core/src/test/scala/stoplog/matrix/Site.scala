// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Step

/** Where a query writes, and what. */
final case class Site(storage: Storage, layout: Layout, content: Content) {
  def name: String = s"${layout.name}/${content.name}"

  /** Those that a query passes here. */
  def steps: Vector[Step] = storage.steps.filterNot(content.without) ++ content.besides

  def newPlace(): Place = storage.newPlace(layout, content)
}

object Site {
  def all(storage: Storage): Vector[Site] = for {
    layout  <- storage.layouts
    content <- storage.contents
  } yield Site(storage, layout, content)
}

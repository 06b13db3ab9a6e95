// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.options.{SinkOptionRegistry => Registry}

/** The options of a sink that may name a class of the user's, to which `<option>.<name>` is a parameter. */
private[stoplog] trait OwnClasses {

  /** The option `sink` is not among them: its class is given all options of the write. */
  def ownClasses: Seq[SinkOption] = Seq(
    Registry.Encoder,
    Registry.BulkWriter,
    Registry.RollingPolicy,
    Registry.BucketAssigner,
    Registry.Compactor,
    CompleteRegistry.BucketListener
  )
}

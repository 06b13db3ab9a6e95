// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The qualification of a storage: many writers race for each promise on which the commit protocol relies.
  *
  * The races use the same stores as the commit path, so that they also apply to custom storages.
  */
package object qualify

// SPDX-License-Identifier: Apache-2.0
package stoplog.store

/** How much has to go wrong before committed bytes are gone. */
sealed trait Durability extends Product with Serializable
object Durability {

  /** Bytes are forced to the disks before a record names them: they survive a power loss. */
  case object Disk extends Durability

  /** Bytes are handed to the operating system, or to the memory of the servers: they survive the death of any process, but
    * not a power loss.
    */
  case object Process extends Durability
}

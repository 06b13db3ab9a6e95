// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The policies that decide when a part is closed, and the reasons.
  *
  * A policy is a pure function of the facts about a part and the time. The package depends neither on other
  * packages of stoplog nor on an engine.
  */
package object rolling

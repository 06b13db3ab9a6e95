// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The policies that decide when a part is closed, and their reasons.
  *
  * A policy is a pure function of the facts about a part and the time. The package knows nothing else of stoplog, and no engine.
  */
package object rolling

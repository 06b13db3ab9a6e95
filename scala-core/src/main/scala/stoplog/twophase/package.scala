// SPDX-License-Identifier: Apache-2.0
package stoplog

/** A sink of two phases as an engine's sink: over a log of its own, which decides each epoch.
  */
package object twophase

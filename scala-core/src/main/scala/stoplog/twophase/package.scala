// SPDX-License-Identifier: Apache-2.0
package stoplog

/** A sink with two-phase commits in an engine, with a separate log that decides each epoch. */
package object twophase

// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The files of a query's checkpoint: the state of its sources. */
package object checkpoint

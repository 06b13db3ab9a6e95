// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

/** The writing of a task's rows, batch by batch. */
package object write

// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

/** Selects the storage for a path. The only package that depends on all built-in storages. */
package object systems

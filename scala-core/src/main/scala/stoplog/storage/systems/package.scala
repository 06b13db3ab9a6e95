// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

/** The choice of a storage for a path: the one package that knows all storages that come with stoplog. */
package object systems

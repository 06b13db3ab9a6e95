// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

/* The laws: test suites that say whether a storage, a format, a policy, a sink or a source keeps the promises of its trait.
 * They run in a user's own build as they do in stoplog's; nothing of the core depends on them.
 */

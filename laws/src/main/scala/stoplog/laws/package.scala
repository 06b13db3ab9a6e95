// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

/* The laws: test suites that check whether a storage, a format, a policy, a sink or a source keeps the
 * promises of its trait. The laws run in a user's own build as in stoplog's build; the core does not depend
 * on them.
 */

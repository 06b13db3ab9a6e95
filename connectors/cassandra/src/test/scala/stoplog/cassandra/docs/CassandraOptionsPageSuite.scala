// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.docs

import stoplog.docs.OptionsReferenceRules

class CassandraOptionsPageSuite extends OptionsReferenceRules(OptionsPage)

// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.docs

import stoplog.docs.OptionsReferenceRules

class KafkaOptionsPageSuite extends OptionsReferenceRules(OptionsPage)

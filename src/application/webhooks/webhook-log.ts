import { webhooksStream, type WebhookFact } from '../../domain/webhooks/webhook-facts.js'
import { RecordedWebhooks, type Webhooks } from '../../domain/webhooks/webhooks.js'
import { ExactStream } from '../exact-stream.js'
import type { ExactAppends, StreamReader } from '../ports/exact-appends.js'

/** The stream `webhooks`. Its state is the set of webhook definitions. */
export class WebhookLog extends ExactStream<Webhooks, WebhookFact> {
  constructor(store: ExactAppends & StreamReader) {
    super(store, { stream: webhooksStream, types, empty: () => new RecordedWebhooks() })
  }
}

const types = [
  'WebhookDefined',
  'WebhookRemoved',
  'WebhookPaused',
  'WebhookResumed',
  'WebhookReplayed',
  'WebhookSecretRotated',
] as const

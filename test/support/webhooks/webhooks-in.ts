import { DerivedSecrets } from '../../../src/adapters/webhooks/derived-secrets.js'
import { MasterKey } from '../../../src/adapters/webhooks/master-key.js'
import { receiverUrls } from '../../../src/adapters/webhooks/receiver-urls.js'
import { uuidGenerator } from '../../../src/adapters/system/clock-and-ids.js'
import type { Clock } from '../../../src/application/ports/clock-and-ids.js'
import type {
  ExactAppends,
  LastFactReader,
  StreamReader,
} from '../../../src/application/ports/exact-appends.js'
import type { ReadModel } from '../../../src/application/reading/ports/read-model.js'
import { Attempts } from '../../../src/application/webhooks/attempts.js'
import type { WebhookTransport } from '../../../src/application/webhooks/ports/webhook-sending.js'
import { webhookUseCases } from '../../../src/application/webhooks/webhook-use-cases.js'
import { WebhookLog } from '../../../src/application/webhooks/webhook-log.js'
import { placeIn } from '../../../src/composition/webhooks.js'

/** The secret from which the secrets of webhooks derive in tests. */
export const masterSecret = 'a-secret-of-the-tests-with-40-characters'

/** Returns the secrets of webhooks for a master secret. */
export function secretsOf(secret = masterSecret): DerivedSecrets {
  return new DerivedSecrets(new MasterKey({ secret, file: '/nowhere/webhook-secret' }))
}

/** A transport whose receivers reply with 204. */
export const acceptingTransport: WebhookTransport = {
  send: () => Promise.resolve({ kind: 'replied', status: 204, retryAfterMs: undefined }),
  forget: () => undefined,
  close: () => Promise.resolve(),
}

interface Given {
  readonly logged: ExactAppends & StreamReader
  readonly store: LastFactReader
  readonly clock: Clock
  readonly model: ReadModel | undefined
  readonly transport?: WebhookTransport | undefined
}

/** Returns the use cases of webhooks in a process that delivers nothing. */
export function webhooksIn({ logged, store, clock, model, transport = acceptingTransport }: Given) {
  return webhookUseCases({
    webhooks: new WebhookLog(logged),
    store,
    secrets: secretsOf(),
    urls: receiverUrls({ isInsecure: false, isPrivate: false }),
    transport,
    attempts: new Attempts(),
    clock,
    ids: uuidGenerator,
    model,
    placeOf: placeIn(model),
    sender: { progressOf: () => undefined, wake: () => undefined },
  })
}

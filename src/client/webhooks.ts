import type { BodyOf, DataOf } from './operations.js'
import type {
  DefinedWebhook,
  RemovedWebhook,
  RotatedWebhook,
  Webhook,
  WebhookDefinition,
  WebhookTest,
} from './api-types.js'
import { step, type CallOptions, type Request } from './requests.js'
import { condition, type VersionOptions } from './segment-calls.js'
import type { Transport } from './transport.js'

/** Webhooks. Needs the scope `webhooks`. Every method throws `DossierError`. */
export class Webhooks {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /**
   * Defines a webhook or changes it. Only the reply for a new webhook has the `secret`. So an
   * attempt without a clear reply is not retried, and `stored` of the error is `unknown`: read the
   * webhook, and call `rotateSecret` if it exists.
   */
  define(
    key: string,
    definition: WebhookDefinition,
    options: VersionOptions = {},
  ): Promise<DefinedWebhook> {
    return this.transport.send<'defineWebhook'>(
      {
        kind: 'once',
        method: 'PUT',
        path: pathOf(key),
        headers: condition(options.ifVersion),
        body: definition,
      },
      options,
    )
  }

  /** Removes a webhook. An attempt without a clear reply is not retried. */
  remove(key: string, options: VersionOptions = {}): Promise<RemovedWebhook> {
    const headers = condition(options.ifVersion)
    return this.transport.send<'removeWebhook'>(
      { kind: 'once', method: 'DELETE', path: pathOf(key), headers },
      options,
    )
  }

  /** Returns the definition of a webhook and the progress of its delivery. Error: 404 `webhook_not_found`. */
  get(key: string, options: CallOptions = {}): Promise<Webhook> {
    return this.transport.send<'getWebhook'>(reading(pathOf(key)), options)
  }

  /** Lists all webhooks, by key. */
  list(options: CallOptions = {}): Promise<DataOf<'listWebhooks'>> {
    return this.transport.send<'listWebhooks'>(reading('/webhooks'), options)
  }

  /** Returns the latest attempts of the replica that replies, newest first. */
  attempts(key: string, options: CallOptions = {}): Promise<DataOf<'listWebhookAttempts'>> {
    const request = reading(`${pathOf(key)}/attempts`)
    return this.transport.send<'listWebhookAttempts'>(request, options)
  }

  /** Stops the delivery until `resume`. */
  pause(key: string, options: CallOptions = {}): Promise<Webhook> {
    return this.transport.send<'pauseWebhook'>(posting('keyed', key, 'pause'), options)
  }

  /** Continues the delivery after the last delivered fact, or after `from`. */
  resume(
    key: string,
    resumption: BodyOf<'resumeWebhook'> = {},
    options: CallOptions = {},
  ): Promise<Webhook> {
    const request = { ...posting('keyed', key, 'resume'), body: resumption }
    return this.transport.send<'resumeWebhook'>(request, options)
  }

  /**
   * Continues the delivery from `start`, `now`, or a cursor. A later starting point skips facts.
   */
  replay(
    key: string,
    replay: BodyOf<'replayWebhook'>,
    options: CallOptions = {},
  ): Promise<Webhook> {
    const request = { ...posting('keyed', key, 'replay'), body: replay }
    return this.transport.send<'replayWebhook'>(request, options)
  }

  /** Sends one message of the type `webhook.test`, and returns the reply of the receiver. */
  test(key: string, options: CallOptions = {}): Promise<WebhookTest> {
    return this.transport.send<'testWebhook'>(posting('once', key, 'test'), options)
  }

  /**
   * Creates a new secret, which only this reply shows. For 24 hours, messages are also signed with
   * the former secret.
   */
  rotateSecret(key: string, options: CallOptions = {}): Promise<RotatedWebhook> {
    return this.transport.send<'rotateWebhookSecret'>(
      posting('once', key, 'rotate-secret'),
      options,
    )
  }
}

function pathOf(key: string): string {
  return `/webhooks/${step(key)}`
}

function reading(path: string): Request<undefined> {
  return { kind: 'unpositioned', method: 'GET', path }
}

function posting(kind: 'keyed' | 'once', key: string, action: string) {
  return { kind, method: 'POST', path: `${pathOf(key)}/${action}` } as const
}

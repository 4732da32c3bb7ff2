import { setMaxListeners } from 'node:events'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { uuidGenerator } from '../../../src/adapters/system/clock-and-ids.js'
import { toStored } from '../../../src/application/facts/fact-format.js'
import type { Fact } from '../../../src/application/facts/fact-table.js'
import { Attempts } from '../../../src/application/webhooks/attempts.js'
import { Delivery } from '../../../src/application/webhooks/delivery.js'
import type { ConfirmedErasure } from '../../../src/application/webhooks/send-fact.js'
import type {
  OutgoingMessage,
  SendOutcome,
} from '../../../src/application/webhooks/ports/webhook-sending.js'
import { WebhookPages } from '../../../src/application/webhooks/webhook-pages.js'
import { Semaphore } from '../../../src/application/semaphore.js'
import { createEntity, entityStream } from '../../../src/domain/entity.js'
import { voidEvent, type EventRecorded } from '../../../src/domain/event.js'
import type { RecordedProgress } from '../../../src/domain/webhooks/webhook-facts.js'
import type { Webhook } from '../../../src/domain/webhooks/webhooks.js'
import { LoggedStore } from '../logged-store.js'
import { ReadModelInStep } from '../read-model-in-step.js'
import { ManualTime } from './manual-time.js'
import { secretsOf } from './webhooks-in.js'

export const accepted: SendOutcome = { kind: 'replied', status: 204, retryAfterMs: undefined }
export const refusedWith = (status: number, retryAfterMs?: number): SendOutcome => ({
  kind: 'replied',
  status,
  retryAfterMs,
})
export const unreachable: SendOutcome = { kind: 'unreachable', error: 'connection refused' }

interface Sent {
  readonly message: OutgoingMessage
  readonly body: {
    readonly type: string
    readonly id: string
    readonly position: string
    readonly data: Readonly<Record<string, unknown>>
    readonly profile?: Readonly<Record<string, unknown>> | null
  }
  readonly reply: (outcome: SendOutcome) => void
}

/** A delivery over a read model in memory, to a receiver that the test plays. */
export class DeliveryBench {
  readonly time = new ManualTime()
  readonly memory = new MemoryEventStore()
  readonly store = new LoggedStore(this.memory, this.memory)
  readonly model = new ReadModelInStep(this.store)
  readonly secrets = secretsOf()
  readonly attempts = new Attempts()
  readonly confirmed: ConfirmedErasure[] = []
  readonly failures: unknown[] = []
  /** The messages that wait for a reply. */
  readonly open: Sent[] = []
  /** All messages so far. */
  readonly sent: Sent[] = []
  /** Replies at once. Undefined while the test replies itself. */
  answer: ((sent: Sent) => SendOutcome) | undefined
  maySend = true
  /** Shared by all deliveries, as in a process. */
  bodies = new Semaphore({ most: 1_000_000, queued: Infinity })
  readonly builds = new Semaphore({ most: 4, queued: Infinity })
  delivery: Delivery | undefined

  readonly webhook: Webhook = {
    key: 'mail',
    version: 1,
    title: undefined,
    origin: 'https://mail.example',
    sealedUrl: this.secrets.seal('mail', 'https://mail.example/hook'),
    filter: {},
    profile: false,
    secretVersion: 1,
    formerSecret: undefined,
    master: this.secrets.fingerprint ?? '',
    start: { position: '0', fact: '', setBy: 'the definition' },
    paused: undefined,
    definedAt: '2026-11-20T09:30:00.000Z',
  }

  start(given: Partial<Webhook> = {}, recorded?: RecordedProgress): Delivery {
    const { time } = this
    const delivery = new Delivery(
      {
        model: this.model,
        pages: new WebhookPages(this.model),
        transport: {
          send: (message, signal) => this.receive(message, signal),
          forget: () => undefined,
          close: () => Promise.resolve(),
        },
        secrets: this.secrets,
        attempts: this.attempts,
        bodies: this.bodies,
        builds: this.builds,
        clock: time.clock,
        now: time.now,
        pause: time.pause,
        random: () => 0,
        maySend: () => this.maySend,
        confirmErasure: (confirmed) => {
          this.confirmed.push(confirmed)
          return Promise.resolve()
        },
        counted: () => undefined,
        failed: (error) => {
          this.failures.push(error)
        },
      },
      { ...this.webhook, ...given },
      recorded,
    )
    this.delivery = delivery
    delivery.start()
    return delivery
  }

  async create(externalId: string, properties = {}): Promise<void> {
    const now = this.time.clock.now()
    const id = uuidGenerator.next()
    const { facts } = createEntity({ factId: id, externalId, properties, now })
    await this.store.append({
      stream: entityStream(externalId),
      expected: 'new',
      facts: facts.map(stored),
    })
  }

  async record(externalId: string, name: string, properties = {}): Promise<EventRecorded> {
    const recordedAt = this.time.clock.now().toISOString()
    const data = { entityExternalId: externalId, name, properties, recordedAt }
    const fact: EventRecorded = { id: uuidGenerator.next(), type: 'EventRecorded', data }
    const stream = entityStream(externalId)
    await this.store.append({ stream, expected: 'existing', facts: [stored(fact)] })
    return fact
  }

  async void({ id, data }: EventRecorded): Promise<void> {
    const { entityExternalId: externalId, name, recordedAt } = data
    const { stream, expected, facts } = voidEvent({
      factId: uuidGenerator.next(),
      externalId,
      event: { id, name, recordedAt, occurredAt: undefined },
      reason: undefined,
      now: this.time.clock.now(),
    })
    await this.store.append({ stream, expected, facts: facts.map(stored) })
  }

  /** Erases the entity as a store does: its stream ends with this fact. */
  async erase(externalId: string, entityId: string): Promise<void> {
    const at = this.time.clock.now().toISOString()
    const data = { erasureId: 'the-erasure', entityId, at }
    const fact: Fact = { id: uuidGenerator.next(), type: 'EntityErased', data }
    const stream = entityStream(externalId)
    await this.store.append({ stream, expected: 'existing', facts: [stored(fact)] })
  }

  /** The names of the events that were sent, or the types of other facts, in order. */
  get names(): readonly string[] {
    return this.sent.map(({ body: { data, type } }) =>
      typeof data['name'] === 'string' ? data['name'] : type,
    )
  }

  reply(outcome: SendOutcome): void {
    this.open.shift()?.reply(outcome)
  }

  private receive(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome> {
    return new Promise((resolve) => {
      const body = JSON.parse(message.body) as Sent['body']
      const sent = { message, body, reply: resolve }
      this.sent.push(sent)
      // All requests of a delivery share its signal.
      setMaxListeners(0, signal)
      signal.addEventListener('abort', () => {
        resolve({ kind: 'unreachable', error: 'aborted' })
      })
      if (this.answer === undefined) this.open.push(sent)
      else resolve(this.answer(sent))
    })
  }
}

function stored(fact: Fact) {
  return toStored(fact, { requestId: 'r', keyHash: undefined })
}

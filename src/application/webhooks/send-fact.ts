import type { Clock } from '../ports/clock-and-ids.js'
import type { ReadModel } from '../reading/ports/read-model.js'
import type { Release, Semaphore } from '../semaphore.js'
import { timestampOf } from '../../domain/timestamp.js'
import type { Webhook } from '../../domain/webhooks/webhooks.js'
import type { Attempts } from './attempts.js'
import { bodyOf, messageIdOf } from './payload.js'
import type { OutgoingFact, WaitingFact } from './ports/webhook-queries.js'
import type { SendOutcome, WebhookSecrets, WebhookTransport } from './ports/webhook-sending.js'
import { signingSecrets } from './signing-secrets.js'

export interface ConfirmedErasure {
  readonly webhook: string
  readonly erasureId: string
  readonly position: string
}

export interface SendingParts {
  readonly model: Pick<ReadModel, 'query' | 'status' | 'watch'>
  readonly transport: WebhookTransport
  readonly secrets: WebhookSecrets
  readonly attempts: Attempts
  /** Limits the total bytes of the bodies that are being sent, for all webhooks together. */
  readonly bodies: Semaphore
  /** Limits the number of bodies that are being built and are not counted in `bodies` yet. */
  readonly builds: Semaphore
  readonly clock: Clock
  /** The time in milliseconds on a clock that never jumps. */
  readonly now: () => number
  /** Returns whether this process may send. */
  readonly maySend: () => boolean
  /** Records that the receiver has confirmed an erasure. */
  readonly confirmErasure: (confirmed: ConfirmedErasure) => Promise<void>
  readonly counted: (outcome: SendOutcome) => void
}

/**
 * The result of an attempt. `skipped` means that the entity of the fact is erased. `postponed` means that
 * nothing was sent, for a reason other than the receiver.
 */
export type SendResult = SendOutcome | { readonly kind: 'skipped' | 'postponed' }

/** The longest wait for a read model that is being rebuilt to apply the fact again, in milliseconds. */
const modelWaitMs = 1_000

/** Bodies wait without a time limit, because the number of waiting bodies is limited. */
const patience = { waitMs: Infinity }

type Built =
  | { readonly kind: 'gone' }
  | { readonly kind: 'waiting'; readonly room: Promise<Release> }
  | {
      readonly kind: 'ready'
      readonly room: Release
      readonly outgoing: OutgoingFact
      readonly body: string
    }

/**
 * Sends one fact to the receiver of a webhook. Each attempt reads the fact again, so that no fact of an erased
 * entity is sent from memory. Rejects when the read model or the store does not answer.
 */
export async function sendFact(
  parts: SendingParts,
  webhook: Webhook,
  fact: WaitingFact,
  signal: AbortSignal,
): Promise<SendResult> {
  let built = await build(parts, webhook, fact)
  // Drops a body that has to wait, and builds it again later. Otherwise the waiting bodies of receivers that hang would
  // hold all permits to build, and all other webhooks would have to wait.
  if (built.kind === 'waiting') built = await build(parts, webhook, fact, await built.room)
  if (built.kind !== 'ready') return { kind: 'skipped' }
  try {
    return await deliver(parts, webhook, { ...built, signal })
  } finally {
    built.room()
  }
}

/** Builds the body, and acquires room for the body unless the caller already holds room as `held`. */
async function build(
  parts: SendingParts,
  webhook: Webhook,
  fact: WaitingFact,
  held?: Release,
): Promise<Built> {
  const endBuild = await parts.builds.take(webhook.key, patience)
  let room: Release | Promise<Release> | undefined
  try {
    const outgoing = await readFact(parts, webhook, fact)
    if (outgoing === undefined) return { kind: 'gone' }
    const body = bodyOf(outgoing)
    room = held ?? parts.bodies.take(webhook.key, { ...patience, weight: Buffer.byteLength(body) })
    if (typeof room !== 'function') return { kind: 'waiting', room }
    return { kind: 'ready', room, outgoing, body }
  } finally {
    if (room === undefined) held?.()
    endBuild()
  }
}

async function readFact(
  { model }: SendingParts,
  { profile }: Webhook,
  { position, id }: WaitingFact,
): Promise<OutgoingFact | undefined> {
  const want = { position, waitMs: modelWaitMs }
  const { value } = await model.query('webhookFact', { position, profile }, want)
  return value?.id === id ? value : undefined
}

interface Message {
  readonly outgoing: OutgoingFact
  readonly body: string
  readonly signal: AbortSignal
}

async function deliver(
  parts: SendingParts,
  webhook: Webhook,
  { outgoing, body, signal }: Message,
): Promise<SendResult> {
  const { key } = webhook
  const url = parts.secrets.open(key, webhook.sealedUrl)
  if (url === undefined || !parts.maySend() || signal.aborted) return { kind: 'postponed' }
  const sentAt = parts.clock.now()
  const begun = parts.now()
  const secrets = signingSecrets(parts.secrets, webhook, sentAt)
  const message = { webhook: key, url, id: messageIdOf(outgoing), body, secrets }
  const outcome = await parts.transport.send(message, signal)
  const durationMs = Math.round(parts.now() - begun)
  parts.counted(outcome)
  parts.attempts.add(key, { factId: outgoing.id, at: timestampOf(sentAt), durationMs, outcome })
  const { erasureId, position } = outgoing
  if (isDelivered(outcome) && erasureId !== undefined) {
    await parts.confirmErasure({ webhook: key, erasureId, position: String(position) })
  }
  return outcome
}

export function isDelivered(outcome: SendOutcome): boolean {
  return outcome.kind === 'replied' && outcome.status >= 200 && outcome.status < 300
}

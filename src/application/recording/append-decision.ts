// Recording: requests in, stored facts out. Each use case decides, appends, and returns the fact as stored.
// - In: validated requests. `run-batch.ts` runs several, in order for each entity.
// - Out: appends through this file. `guard-store.ts` wraps the store with limits, the clock check and the
//   tracking of unknown outcomes.
import { hash } from 'node:crypto'
import type { Decision } from '../../domain/facts.js'
import { isRefused, Refusal, type RefusalCode, unlessRefused } from '../ports/refusal.js'
import { toStored } from '../facts/fact-format.js'
import type { Fact } from '../facts/fact-table.js'
import { type StoredFact, UnreadableFact } from '../facts/stored-fact.js'
import type { Append, EventStore, Receipt } from './ports/event-store.js'

/** The request id and idempotency key, which every write request carries. */
export interface RequestContext {
  /** 1 to 128 characters of `A–Z a–z 0–9 . _ -`. Stored with the fact. */
  readonly requestId: string
  /** Any text. A repeat with the same key and body is stored once and gets the same response. */
  readonly idempotencyKey?: string | undefined
  /** When the request came, as `performance.now` counts; now unless said otherwise. */
  readonly cameAt?: number | undefined
}

export interface StoredDecision<F extends Fact> {
  readonly fact: F
  readonly position: string
  /** True when the request was a repeat. `fact` is then the fact that the first request stored. */
  readonly replayed: boolean
}

/** The scope of a command's idempotency keys, and how a repeat of the command is recognised. */
export interface IdempotencyScope<F extends Fact> {
  /** Prefix of the hashed key, so that commands do not share keys. Part of stored hashes: never change it. */
  readonly command: string
  /** Reads a fact of the command. Returns undefined for other facts. */
  readonly read: (stored: StoredFact) => F | undefined
  /** Whether both facts come from the same request. */
  readonly isSame: (stored: F, decided: F) => boolean
}

/**
 * Appends a decision's fact and returns it as stored. Throws `idempotency_key_reused` when a different
 * request was stored under the key, and every error of `EventStore.append`.
 */
export async function appendDecision<F extends Fact>(
  eventStore: EventStore,
  decision: Decision<F>,
  context: RequestContext,
  scope: IdempotencyScope<F>,
): Promise<StoredDecision<F>> {
  const receipt = await eventStore.append(appendOf(decision, context, scope))
  return storedDecision(receipt, decision, scope)
}

/**
 * Returns the fact that an earlier request stored under the key. Writes nothing. Returns undefined when there
 * is no such fact or the request has no key. Throws the errors of `appendDecision`, and `outcome_unknown`
 * when the fact may be stored.
 */
export async function findStored<F extends Fact>(
  eventStore: EventStore,
  decision: Decision<F>,
  context: RequestContext,
  scope: IdempotencyScope<F>,
): Promise<StoredDecision<F> | undefined> {
  if (context.idempotencyKey === undefined) return undefined
  const append = appendOf(decision, context, scope)
  const appended = eventStore.append({ ...append, expected: 'stored' })
  const receipt = await unlessRefused(appended, 'not_stored')
  return receipt && storedDecision(receipt, decision, scope)
}

/**
 * `findStored` for another entity than the request's own. Returns undefined for an erased or removed entity.
 */
export function findStoredElsewhere<F extends Fact>(
  ...request: Parameters<typeof findStored<F>>
): Promise<StoredDecision<F> | undefined> {
  return unlessRefused(findStored(...request), 'stream_erased', 'stream_removed')
}

/**
 * The position of the first fact in the decision's stream, which the store has just reported to exist. Writes
 * nothing. Throws the errors of `EventStore.append`.
 */
export async function positionOfFirst<F extends Fact>(
  eventStore: EventStore,
  decision: Decision<F>,
  { requestId }: RequestContext,
  scope: IdempotencyScope<F>,
): Promise<string> {
  const append = appendOf(decision, { requestId }, scope)
  try {
    const { position } = await eventStore.append({ ...append, expected: 'first' })
    return position
  } catch (error) {
    // The stream was removed since then, or the store's readers lag its writers. A retry finds out which.
    if (isRefused(error, 'stream_missing'))
      throw new Refusal('store_unavailable', error.message, { cause: error })
    throw error
  }
}

function appendOf<F extends Fact>(
  { stream, expected, facts: [decided] }: Decision<F>,
  { requestId, idempotencyKey, cameAt }: RequestContext,
  { command }: IdempotencyScope<F>,
): Append {
  const keyHash = idempotencyKey === undefined ? undefined : hashOf(command, idempotencyKey)
  const facts = [toStored(decided, { requestId, keyHash })]
  if (keyHash === undefined) return { stream, expected, facts }
  return { stream, expected, facts, key: keyHash, cameAt }
}

function storedDecision<F extends Fact>(
  receipt: Receipt,
  { facts: [decided] }: Decision<F>,
  scope: IdempotencyScope<F>,
): StoredDecision<F> {
  const { position, replayed } = receipt
  if (!replayed) return { fact: decided, position, replayed }
  const [stored] = receipt.facts
  const fact = stored && scope.read(stored)
  if (fact === undefined)
    throw new UnreadableFact('the stored append of a repeated request lacks its fact')
  if (!scope.isSame(fact, decided)) {
    throw new Refusal('idempotency_key_reused', 'this idempotency key was used with another body')
  }
  return { fact, position, replayed }
}

function hashOf(command: string, key: string): string {
  return hash('sha256', `${command} ${key}`)
}

type EntityRefusal = readonly [code: RefusalCode, message: string]

/** Refusals of an append to an entity's stream, and the refusals of the entity that they mean. */
const entityRefusals: Partial<Record<RefusalCode, EntityRefusal>> = {
  stream_exists: ['entity_exists', 'an entity of this external_id exists'],
  stream_removed: ['entity_removed', 'this external_id was removed for good'],
  stream_erased: ['entity_erased', 'the entity of this external_id was erased'],
  stream_missing: ['entity_not_found', 'no entity has this external_id'],
}

/**
 * Translates a refusal about an entity's stream to a refusal about the entity. Returns other errors
 * unchanged.
 */
export function entityError(error: unknown): unknown {
  const refusal = error instanceof Refusal ? entityRefusals[error.code] : undefined
  return refusal === undefined ? error : new Refusal(...refusal, { cause: error })
}

// Recording: this folder turns requests into stored facts. Each use case makes a decision, appends
// its fact, and returns the fact as stored.
// - In: validated requests. `run-batch.ts` runs several requests, in order for each entity.
// - Out: appends through this file. `guard-store.ts` wraps the store with limits, the check of the
// clock, and the tracking of unknown outcomes.
import { hash } from 'node:crypto'
import type { Decision } from '../../domain/facts.js'
import { isRefused, Refusal, type RefusalCode, unlessRefused } from '../ports/refusal.js'
import { toStored } from '../facts/fact-format.js'
import type { Fact } from '../facts/fact-table.js'
import { type StoredFact, UnreadableFact } from '../facts/stored-fact.js'
import type { Append, EventStore, Receipt } from './ports/event-store.js'

/** The members that every write request has. */
export interface RequestContext {
  /** The id of the request: 1 to 128 characters of `A–Z a–z 0–9 . _ -`. It is stored with the fact. */
  readonly requestId: string
  /**
   * The idempotency key: any text. If a request with this key and an equal body is repeated, the repeated
   * request stores nothing and gets the response of the first request.
   */
  readonly idempotencyKey?: string | undefined
  /**
   * The time at which the request arrived, on the clock of `performance.now`. When absent, the time
   * of the append.
   */
  readonly cameAt?: number | undefined
}

export interface StoredDecision<F extends Fact> {
  readonly fact: F
  readonly position: string
  /** True for a repeated request. `fact` is the fact that the first request stored. */
  readonly replayed: boolean
}

/** The scope of a command's idempotency keys, and the comparison that recognises a repeated request. */
export interface IdempotencyScope<F extends Fact> {
  /**
   * The name of the command. It is hashed together with each key, so that commands do not share idempotency
   * keys. Never change the name, because the hashes are stored.
   */
  readonly command: string
  /** Returns the fact if this command could have stored it. Otherwise returns undefined. */
  readonly read: (stored: StoredFact) => F | undefined
  /** Returns whether a stored fact and a decided fact come from equal requests. */
  readonly isSame: (stored: F, decided: F) => boolean
}

/**
 * Appends the fact of a decision and returns the fact as stored. Throws `idempotency_key_reused`
 * when a different request was stored under the idempotency key. Throws the errors of
 * `EventStore.append`.
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
 * The stream that is searched for a stored fact. With the facts of a decision, a stored fact of a different request
 * throws `idempotency_key_reused`.
 */
interface Sought<F extends Fact> {
  readonly stream: string
  readonly facts?: Decision<F>['facts']
}

/**
 * Returns the fact that an earlier request stored under the idempotency key, and writes nothing. Returns
 * undefined when there is no such fact, or when the request has no key. Throws the errors of `appendDecision`,
 * and `outcome_unknown` when the fact may be stored.
 */
export async function findStored<F extends Fact>(
  eventStore: EventStore,
  { stream, facts: decided }: Sought<F>,
  { idempotencyKey, cameAt }: RequestContext,
  scope: IdempotencyScope<F>,
): Promise<StoredDecision<F> | undefined> {
  if (idempotencyKey === undefined) return undefined
  const key = hashOf(scope.command, idempotencyKey)
  const appended = eventStore.append({ stream, expected: 'stored', facts: [], key, cameAt })
  const receipt = await unlessRefused(appended, 'not_stored')
  return receipt && repeatedDecision(receipt, decided?.[0], scope)
}

/**
 * Works like `findStored`, for the stream of another entity. Returns undefined if the other entity was erased
 * or removed.
 */
export function findStoredElsewhere<F extends Fact>(
  ...request: Parameters<typeof findStored<F>>
): Promise<StoredDecision<F> | undefined> {
  return unlessRefused(findStored(...request), 'stream_erased', 'stream_removed')
}

/**
 * Returns the position of the first fact in the decision's stream. Call it when the store has just reported
 * that the stream exists. Writes nothing. Throws the errors of `EventStore.append`.
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
    // Refuses temporarily, because a retry will show the cause. Either the stream was removed since the store reported
    // it, or the store's readers lag behind its writers.
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
  return replayed
    ? repeatedDecision(receipt, decided, scope)
    : { fact: decided, position, replayed }
}

function repeatedDecision<F extends Fact>(
  { position, facts: [stored] }: Receipt,
  decided: F | undefined,
  scope: IdempotencyScope<F>,
): StoredDecision<F> {
  const fact = stored && scope.read(stored)
  if (fact === undefined)
    throw new UnreadableFact('the stored append of a repeated request lacks its fact')
  if (decided !== undefined && !scope.isSame(fact, decided)) {
    throw new Refusal('idempotency_key_reused', 'this idempotency key was used with another body')
  }
  return { fact, position, replayed: true }
}

function hashOf(command: string, key: string): string {
  return hash('sha256', `${command} ${key}`)
}

type EntityRefusal = readonly [code: RefusalCode, message: string]

/** Maps each refusal of an append to an entity's stream to a refusal about the entity. */
const entityRefusals: Partial<Record<RefusalCode, EntityRefusal>> = {
  stream_exists: ['entity_exists', 'an entity of this external_id exists'],
  stream_removed: ['entity_removed', 'this external_id was removed for good'],
  stream_erased: ['entity_erased', 'the entity with this external_id was erased'],
  stream_missing: ['entity_not_found', 'no entity has this external_id'],
}

/** Converts a refusal about an entity's stream to the refusal about the entity. Returns other errors unchanged. */
export function entityError(error: unknown): unknown {
  const refusal = error instanceof Refusal ? entityRefusals[error.code] : undefined
  return refusal === undefined ? error : new Refusal(...refusal, { cause: error })
}

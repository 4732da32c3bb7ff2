import { hash } from 'node:crypto'
import type { Decision } from '../../domain/facts.js'
import { isRefused, Refusal, type RefusalCode, unlessRefused } from '../ports/refusal.js'
import { toStored } from '../facts/fact-format.js'
import type { Fact } from '../facts/fact-table.js'
import { type StoredFact, UnreadableFact } from '../facts/stored-fact.js'
import type { Append, EventStore, Receipt } from './ports/event-store.js'

/** What every request carries besides its own fields. */
export interface RequestContext {
  /** 1–128 of `A–Z a–z 0–9 . _ -`; stored with the fact. */
  readonly requestId: string
  /** Any text: the same key and body again gives the same answer, stored once. */
  readonly idempotencyKey?: string | undefined
  /** When the request came, as `performance.now` counts; now unless said otherwise. */
  readonly cameAt?: number | undefined
}

export interface StoredDecision<F extends Fact> {
  readonly fact: F
  readonly position: string
  /** True when the request was a repeat: `fact` is the one stored then. */
  readonly replayed: boolean
}

/** Where an idempotency key of one command holds, and how a repeat of the command is recognised. */
export interface IdempotencyScope<F extends Fact> {
  /** A key of one command is another key at the next. Part of the stored hash: never change it. */
  readonly command: string
  /** Reads the command's own fact; undefined: it is another one. */
  readonly read: (stored: StoredFact) => F | undefined
  /** Whether both come of the same request. */
  readonly isSame: (stored: F, decided: F) => boolean
}

/**
 * Appends a decision's fact and returns it as stored. A repeat must say what was stored under its
 * key, else `idempotency_key_reused`. Otherwise throws what `EventStore.append` throws.
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
 * What a request stored under its key before; nothing is stored now. Undefined when that is nothing, or
 * it has no key. Throws what `appendDecision` throws; `outcome_unknown` when it may be stored.
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
 * Looks under another entity than the one that the request is about. An entity that was erased or removed
 * has nothing stored, and does not refuse the request.
 */
export function findStoredElsewhere<F extends Fact>(
  ...request: Parameters<typeof findStored<F>>
): Promise<StoredDecision<F> | undefined> {
  return unlessRefused(findStored(...request), 'stream_erased', 'stream_removed')
}

/**
 * The position of the first fact of the decision's stream, which the store has just said to exist;
 * nothing is stored now. Throws what `EventStore.append` throws.
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
    // It was removed meanwhile, or its readers are behind its writers: the next sending finds out.
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
  return { stream, expected, facts, ...(keyHash === undefined ? {} : { key: keyHash, cameAt }) }
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
  if (fact === undefined) throw new UnreadableFact('a replay without the fact it repeats')
  if (!scope.isSame(fact, decided)) {
    throw new Refusal('idempotency_key_reused', 'this idempotency key was used with another body')
  }
  return { fact, position, replayed }
}

function hashOf(command: string, key: string): string {
  return hash('sha256', `${command} ${key}`)
}

type EntityRefusal = readonly [code: RefusalCode, message: string]

/** By what the state of an entity's stream refuses. */
const entityRefusals: Partial<Record<RefusalCode, EntityRefusal>> = {
  stream_exists: ['entity_exists', 'an entity of this external_id exists'],
  stream_removed: ['entity_removed', 'this external_id was removed for good'],
  stream_erased: ['entity_erased', 'the person of this external_id was erased'],
  stream_missing: ['entity_not_found', 'no entity has this external_id'],
}

/** What a refusal for the state of an entity's stream says of the entity; any other error as it is. */
export function entityError(error: unknown): unknown {
  const refusal = error instanceof Refusal ? entityRefusals[error.code] : undefined
  return refusal === undefined ? error : new Refusal(...refusal, { cause: error })
}

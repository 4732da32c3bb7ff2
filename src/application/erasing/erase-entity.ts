import type { Erasure } from '../../domain/erasure-receipts.js'
import { entityStream } from '../../domain/entity.js'
import { recipientPrefix } from '../../domain/webhooks/webhook-facts.js'
import type { EntityErased, EntityErasureRecorded } from '../../domain/erasures.js'
import { timestampOf } from '../../domain/timestamp.js'
import { toStored } from '../facts/fact-format.js'
import type { Clock, IdGenerator } from '../ports/clock-and-ids.js'
import { reasonOf } from '../ports/log.js'
import {
  isRefused,
  outcomeUnknown,
  Refusal,
  StreamErased,
  type RefusalCode,
} from '../ports/refusal.js'
import type { Append, EventStore } from '../recording/ports/event-store.js'
import type { ErasureLog } from './erasure-log.js'
import { idOfText, subjectOf, suppressedErasureOf } from './erasure-hashes.js'
import type { ClosedStream, Erasable } from './ports/erasable.js'
import type { ErasureLedger } from './ports/erasure-ledger.js'

/**
 * A request to erase an entity. The inbound adapter has validated the values by the rules of the
 * domain.
 */
export interface EraseRequest {
  readonly externalId: string
  readonly suppress: boolean
  readonly recipients: readonly string[]
  readonly reference: string | undefined
  readonly requestId: string
  readonly idempotencyKey?: string | undefined
}

export interface StartedErasure {
  readonly erasure: Erasure
  /**
   * The position of the `EntityErased`. For a repeated request, the position of the last fact in the stream
   * `erasures`.
   */
  readonly position: string
  /** True when the entity was already erased, or when the request is repeated. */
  readonly replayed: boolean
}

/**
 * Erases an entity. When the use case resolves, the entity's stream is closed, and no request reads or writes
 * data of the entity. `ErasureWorker` removes the facts later. Throws `entity_not_found`, `not_possible`,
 * `not_ready`, `read_model_behind`, `idempotency_key_reused`, and the errors of the store's ports.
 */
export type EraseUseCase = (request: EraseRequest) => Promise<StartedErasure>

export interface ErasingParts {
  readonly store: EventStore
  readonly streams: Erasable | NotErasable
  readonly erasures: ErasureLog
  readonly ledger: ErasureLedger
  readonly clock: Clock
  readonly ids: IdGenerator
  /** Returns the recipients that every erasure has, in addition to the recipients that its caller names. */
  readonly moreRecipients: () => Promise<readonly string[]>
}

/**
 * The reason why no entity can be erased: `not_possible` when the store cannot erase entities, and `not_ready`
 * when erasing is off.
 */
export type NotErasable = Extract<RefusalCode, 'not_possible' | 'not_ready'>

/** Returns the erasing port of the store. Throws `not_possible` or `not_ready` when no entity can be erased. */
export function erasableOf({ streams }: Pick<ErasingParts, 'streams'>): Erasable {
  if (typeof streams !== 'string') return streams
  throw new Refusal(streams, 'no entity can be erased here')
}

export function eraseUseCase(parts: ErasingParts): EraseUseCase {
  return async (request) => {
    const { store, erasures } = parts
    const streams = erasableOf(parts)
    const { externalId, requestId } = request
    const erasureId = idOfKey(request) ?? parts.ids.next()
    const entityId = await findEntityId(store, request)
    if (typeof entityId === 'object') return findEarlierErasure(parts, request, erasureId, entityId)
    await streams.assertCloses(request)
    await parts.ledger.check().catch(ledgerRefused('ledger_unavailable'))
    const subject = subjectOf(erasureId, externalId, streams)
    const recipients = [...request.recipients, ...(await parts.moreRecipients())]
    const recorded = recordedBy(
      { ...request, recipients },
      { erasureId, entityId, ...subject },
      parts.clock,
    )
    const appended = await erasures.append(requestId, (known) => {
      const isNew = known.get(erasureId) === undefined && known.ofEntity(entityId) === undefined
      return { fact: isNew ? recorded : undefined }
    })
    const isNew = appended.decision.fact !== undefined
    const { state: all } = appended
    const repeated = all.get(erasureId)
    if (repeated !== undefined && repeated.entityId !== entityId) {
      // Returns the erasure of an earlier entity with this external id, because the idempotency key
      // belongs to that erasure.
      return repeatOf(repeated, appended.position, request)
    }
    const erasure = all.ofEntity(entityId)
    if (erasure === undefined)
      throw new Error('a recorded erasure is missing in the stream of erasures')
    if (!isNew && erasure.id === erasureId) refuseOtherBody(erasure, request)
    await parts.ledger.add([entityId]).catch(ledgerRefused('erasure_not_in_ledger'))
    const closing = closeStream(parts, { erasure, externalId })
    // Reports an unknown outcome when the stream could not be closed. The erasure is recorded, so a
    // worker may still close the stream.
    const { position, at } = await closing.catch(outcomeUnknown)
    return { erasure: { ...erasure, effective: { at, position } }, position, replayed: !isNew }
  }
}

/** Adds entities to the ledger. Throws `ledger_unavailable`. */
export async function addToLedger(
  ledger: ErasureLedger,
  entityIds: readonly string[],
): Promise<void> {
  await ledger.add(entityIds).catch(ledgerRefused('ledger_unavailable'))
}

/** Returns a function that converts an error of the ledger to a refusal with this code, and throws the refusal. */
function ledgerRefused(code: 'ledger_unavailable' | 'erasure_not_in_ledger') {
  return (error: unknown): never => {
    const message = `the ledger of erasures cannot be written: ${reasonOf(error)}`
    throw new Refusal(code, message, { cause: error })
  }
}

/**
 * Closes the stream of an entity whose erasure is recorded. A repeated call returns the same
 * result.
 */
export async function closeStream(
  { ids, clock, ...parts }: Pick<ErasingParts, 'ids' | 'clock' | 'streams'>,
  { erasure, externalId }: { readonly erasure: Erasure; readonly externalId: string },
): Promise<Pick<ClosedStream, 'position'> & { readonly at: string }> {
  const { id: erasureId, entityId, suppress, requestId } = erasure
  const at = timestampOf(clock.now())
  const data = { erasureId, entityId, at }
  const fact: EntityErased = { id: ids.next(), type: 'EntityErased', data }
  const stored = toStored(fact, { requestId, keyHash: undefined })
  try {
    const { position } = await erasableOf(parts).close({
      externalId,
      entityId,
      fact: stored,
      suppress,
    })
    return { position, at }
  } catch (error) {
    if (!isRefused(error, 'stream_missing')) throw error
    throw new Refusal('entity_not_found', error.message, { cause: error })
  }
}

function recordedBy(
  { suppress, recipients, reference }: EraseRequest,
  {
    erasureId: id,
    entityId,
    ...subject
  }: Pick<EntityErasureRecorded['data'], 'entityId' | 'subject'> & { readonly erasureId: string },
  clock: Clock,
): EntityErasureRecorded {
  const at = timestampOf(clock.now())
  const named = reference === undefined ? {} : { reference }
  const data = { entityId, suppress, recipients, ...named, ...subject, at }
  return { id, type: 'EntityErasureRecorded', data }
}

/** Returns the id of the entity. When the entity has no open stream, returns the store's refusal. */
async function findEntityId(
  store: EventStore,
  { externalId, requestId }: Pick<EraseRequest, 'externalId' | 'requestId'>,
): Promise<string | Refusal> {
  try {
    const { facts } = await store.append(readFirst(externalId, requestId))
    const [first] = facts
    if (first === undefined) throw new Error('the stream has no first fact')
    return first.id
  } catch (error) {
    if (isRefused(error, 'stream_missing', 'stream_erased')) return error
    throw error
  }
}

/** Returns an append that stores nothing and finds the first fact of the stream. */
function readFirst(externalId: string, requestId: string): Append {
  const id = '00000000-0000-4000-8000-000000000000'
  const data = { erasureId: id, entityId: id, at: timestampOf(new Date(0)) }
  const fact = toStored({ id, type: 'EntityErased', data }, { requestId, keyHash: undefined })
  return { stream: entityStream(externalId), expected: 'first', facts: [fact] }
}

/**
 * Returns the erasure that an earlier request with this key recorded, or the erasure of an entity that is
 * already erased.
 */
async function findEarlierErasure(
  { erasures }: ErasingParts,
  request: EraseRequest,
  erasureId: string,
  refusal: Refusal,
): Promise<StartedErasure> {
  const { state: all, position } = await erasures.append(request.requestId, () => ({}))
  const repeated = all.get(erasureId)
  if (repeated !== undefined) return repeatOf(repeated, position, request)
  if (refusal.code === 'stream_missing') {
    throw new Refusal('entity_not_found', refusal.message, { cause: refusal })
  }
  const erasure = await erasureOfStream(all, refusal, request.externalId)
  if (erasure !== undefined) return { erasure, position, replayed: true }
  throw new Refusal('entity_erased', refusal.message, { cause: refusal })
}

/** Returns the erasure that blocks reuse of an external id. Returns undefined when reuse is not blocked. */
export async function findBlockingErasure(
  { store, erasures }: Pick<ErasingParts, 'store' | 'erasures'>,
  request: Pick<EraseRequest, 'externalId' | 'requestId'>,
): Promise<Erasure | undefined> {
  const found = await findEntityId(store, request).catch(unavailable)
  if (typeof found === 'string' || found.code === 'stream_missing') return undefined
  return erasureOfStream(await erasures.read(), found, request.externalId)
}

/** Rethrows an error of an append that stores nothing, with the code of a failed read. */
function unavailable(error: unknown): never {
  if (!(error instanceof Refusal) || error.code === 'overloaded') throw error
  throw new Refusal('store_unavailable', error.message, { cause: error })
}

/** Returns the erasure of the entity whose stream the store refuses. */
function erasureOfStream(
  all: Awaited<ReturnType<ErasureLog['read']>>,
  refusal: Refusal,
  externalId: string,
): Promise<Erasure | undefined> | Erasure | undefined {
  const entityId = refusal instanceof StreamErased ? refusal.entityId : undefined
  if (entityId === undefined) return suppressedErasureOf(all.values(), externalId)
  return all.ofEntity(entityId)
}

/**
 * Returns the response to a repeated request. Throws `idempotency_key_reused` when the requests
 * differ.
 */
function repeatOf(erasure: Erasure, position: string, request: EraseRequest): StartedErasure {
  refuseOtherBody(erasure, request)
  return { erasure, position, replayed: true }
}

function refuseOtherBody(erasure: Erasure, request: EraseRequest): void {
  const isSame =
    erasure.suppress === request.suppress &&
    erasure.reference === request.reference &&
    JSON.stringify(namedByCaller(erasure.recipients)) === JSON.stringify(request.recipients)
  if (isSame) return
  throw new Refusal('idempotency_key_reused', 'this key was used with another body')
}

/** Returns the recipients that a caller named: the names without the prefix of the service's own recipients. */
function namedByCaller(recipients: readonly string[]): readonly string[] {
  return recipients.filter((name) => !name.startsWith(recipientPrefix))
}

/**
 * Derives the erasure id from the idempotency key. A repeated request therefore finds its erasure, although no
 * external id is stored.
 */
function idOfKey({ idempotencyKey, externalId }: EraseRequest): string | undefined {
  if (idempotencyKey === undefined) return undefined
  return idOfText(JSON.stringify(['erase', idempotencyKey, externalId]))
}

import type { Erasure } from '../../domain/erasure-receipts.js'
import { entityStream } from '../../domain/entity.js'
import type { EntityErased, EntityErasureRecorded } from '../../domain/erasures.js'
import { timestampOf } from '../../domain/timestamp.js'
import { toStored } from '../facts/fact-format.js'
import type { Clock, IdGenerator } from '../ports/clock-and-ids.js'
import { reasonOf } from '../ports/log.js'
import { isRefused, outcomeUnknown, Refusal, StreamErased } from '../ports/refusal.js'
import type { Append, EventStore } from '../recording/ports/event-store.js'
import type { ErasureLog } from './erasure-log.js'
import { idOfText, subjectOf, suppressedErasureOf } from './erasure-hashes.js'
import type { ErasableStreams } from './ports/erasable-streams.js'
import type { ErasureLedger } from './ports/erasure-ledger.js'

/** The values keep the rules of the domain: a way in checks them first. */
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
  /** That of the `EntityErased`; of a repeat, of the last fact about erasures. */
  readonly position: string
  /** The person was erased before, or the request is a repeat. */
  readonly replayed: boolean
}

/**
 * Erases a person: when it resolves her stream is closed, and no request reads or writes anything of hers
 * any more. Her facts are removed by and by (`ErasureWorker`).
 * Throws `entity_not_found`, `not_ready`, `read_model_behind`, `idempotency_key_reused`, and what the store's
 * ports throw.
 */
export type EraseUseCase = (request: EraseRequest) => Promise<StartedErasure>

export interface ErasingParts {
  readonly store: EventStore
  /** Undefined where nobody can be erased. */
  readonly streams: ErasableStreams | undefined
  readonly erasures: ErasureLog
  readonly ledger: ErasureLedger
  readonly clock: Clock
  readonly ids: IdGenerator
}

export function eraseUseCase(parts: ErasingParts): EraseUseCase {
  return async (request) => {
    const { store, streams, erasures } = parts
    if (streams === undefined) throw new Refusal('not_ready', 'nobody can be erased here')
    const { externalId, requestId } = request
    const erasureId = idOf(request) ?? parts.ids.next()
    const entityId = await entityOf(store, request)
    if (typeof entityId === 'object') return erasedBefore(parts, request, erasureId, entityId)
    await streams.assertCloses?.(request)
    const subject = subjectOf(erasureId, externalId, streams)
    const recorded = recordedBy(request, { erasureId, entityId, ...subject }, parts.clock)
    const appended = await erasures.append(requestId, (so) => {
      const isNew = so.get(erasureId) === undefined && so.ofEntity(entityId) === undefined
      return { fact: isNew ? recorded : undefined }
    })
    const isNew = appended.decision.fact !== undefined
    const { state: all } = appended
    const repeated = all.get(erasureId)
    if (repeated !== undefined && repeated.entityId !== entityId) {
      // The key is of an erasure of another entity, which had the name before.
      return repeatOf(repeated, appended.position, request)
    }
    const erasure = all.ofEntity(entityId)
    if (erasure === undefined) throw new Error('an erasure that was recorded is not there')
    if (!isNew && erasure.id === erasureId) refuseOtherBody(erasure, request)
    const closing = addToLedger(parts.ledger, [entityId]).then(() =>
      closeStream(parts, streams, { erasure, externalId }),
    )
    // It is recorded already: whoever carries erasures on may close the stream all the same.
    const { position, at } = await closing.catch(outcomeUnknown)
    return { erasure: { ...erasure, effective: { at, position } }, position, replayed: !isNew }
  }
}

/** Throws `store_unavailable`. */
export async function addToLedger(
  ledger: ErasureLedger,
  entityIds: readonly string[],
): Promise<void> {
  try {
    await ledger.add(entityIds)
  } catch (error) {
    const message = `the ledger of erasures cannot be written: ${reasonOf(error)}`
    throw new Refusal('store_unavailable', message, { cause: error })
  }
}

/** Closes the stream of a person whose erasure is recorded. Repeatable. */
export async function closeStream(
  { ids, clock: ours }: Pick<ErasingParts, 'ids' | 'clock'>,
  streams: ErasableStreams,
  { erasure, externalId }: { readonly erasure: Erasure; readonly externalId: string },
): Promise<{ readonly position: string; readonly at: string }> {
  const { id: erasureId, entityId, suppress, requestId } = erasure
  const at = timestampOf(ours.now())
  const data = { erasureId, entityId, at }
  const fact: EntityErased = { id: ids.next(), type: 'EntityErased', data }
  const stored = toStored(fact, { requestId, keyHash: undefined })
  try {
    const { position } = await streams.close({ externalId, entityId, fact: stored, suppress })
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
  const called = reference === undefined ? {} : { reference }
  const data = { entityId, suppress, recipients, ...called, ...subject, at }
  return { id, type: 'EntityErasureRecorded', data }
}

/** The id of the entity; why there is none. */
async function entityOf(store: EventStore, request: EraseRequest): Promise<string | Refusal> {
  const { externalId, requestId } = request
  try {
    const { facts } = await store.append(lookAt(externalId, requestId))
    const [first] = facts
    if (first === undefined) throw new Error('a stream without its first fact')
    return first.id
  } catch (error) {
    if (isRefused(error, 'stream_missing', 'stream_erased')) return error
    throw error
  }
}

/** Its fact is not stored. */
function lookAt(externalId: string, requestId: string): Append {
  const id = '00000000-0000-4000-8000-000000000000'
  const data = { erasureId: id, entityId: id, at: timestampOf(new Date(0)) }
  const fact = toStored({ id, type: 'EntityErased', data }, { requestId, keyHash: undefined })
  return { stream: entityStream(externalId), expected: 'first', facts: [fact] }
}

/** The receipt of a repeat, and of a person whose id is suppressed. */
async function erasedBefore(
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
  const entityId = refusal instanceof StreamErased ? refusal.entityId : undefined
  const erasure =
    entityId === undefined
      ? await suppressedErasureOf(all.values(), request.externalId)
      : all.ofEntity(entityId)
  if (erasure !== undefined) return { erasure, position, replayed: true }
  throw new Refusal('entity_erased', refusal.message, { cause: refusal })
}

/** Throws `idempotency_key_reused`. */
function repeatOf(erasure: Erasure, position: string, request: EraseRequest): StartedErasure {
  refuseOtherBody(erasure, request)
  return { erasure, position, replayed: true }
}

function refuseOtherBody(erasure: Erasure, request: EraseRequest): void {
  const isSame =
    erasure.suppress === request.suppress &&
    erasure.reference === request.reference &&
    JSON.stringify(erasure.recipients) === JSON.stringify(request.recipients)
  if (isSame) return
  throw new Refusal('idempotency_key_reused', 'this key was used with another body')
}

/** The id that a keyed request gives its erasure: a repeat finds it by that, and no name is stored. */
function idOf({ idempotencyKey, externalId }: EraseRequest): string | undefined {
  if (idempotencyKey === undefined) return undefined
  return idOfText(JSON.stringify(['erase', idempotencyKey, externalId]))
}

import {
  changeProperties,
  createEntity,
  isSameChange,
  type EntityCreated,
  type EntityPropertiesChanged,
} from '../../domain/entity.js'
import type { Decision } from '../../domain/facts.js'
import { sameJson, type JsonObject } from '../../domain/json.js'
import { fullProfile } from '../../domain/profile.js'
import {
  appendDecision,
  entityError,
  findStored,
  findStoredElsewhere,
  type IdempotencyScope,
  positionOfFirst,
  type RequestContext,
  type StoredDecision,
} from './append-decision.js'
import { factTable } from '../facts/fact-table.js'
import type { Clock, IdGenerator } from '../ports/clock-and-ids.js'
import type { EventStore } from './ports/event-store.js'
import { RuleRefused, isRefused, unlessRefused } from '../ports/refusal.js'

/** The caller has validated the values by the rules of the domain. */
export interface UpdateEntityRequest extends RequestContext {
  readonly externalId: string
  /** Top-level properties with their new values. Other properties stay. */
  readonly set: JsonObject
  /** Top-level properties to remove. None is in `set`. */
  readonly unset: readonly string[]
  readonly upsert: boolean
  /** Another external id under which this request may already be stored with the same key. */
  readonly formerEntity?: string | undefined
}

/** The entity exists and the request changes nothing, so no fact is stored. */
export interface EntityUnchanged {
  readonly fact: undefined
  /** The position of the entity's creation. */
  readonly position: string
  readonly replayed: false
}

type Update = EntityCreated | EntityPropertiesChanged

/**
 * Whether a profile is full. False when the answer is not at hand, because a write does not wait for it.
 * Never rejects.
 */
export type IsFull = (externalId: string) => boolean | Promise<boolean>

/**
 * Changes properties of an entity without reading them. Stores a change, or a creation for an upsert of a
 * missing entity. An upsert that changes nothing stores no fact when the entity exists. One idempotency key
 * covers both kinds of fact, so a repeat finds whichever was stored.
 *
 * A full profile takes no more properties, but repeats of stored requests still get their response. Throws
 * `entity_not_found`, `entity_removed`, `RuleRefused`, `idempotency_key_reused`, and the errors of
 * `EventStore.append`.
 */
export function updateEntityUseCase(
  eventStore: EventStore,
  clock: Clock,
  ids: IdGenerator,
  isFull: IsFull,
) {
  return async (
    request: UpdateEntityRequest,
  ): Promise<StoredDecision<Update> | EntityUnchanged> => {
    const { externalId, set, unset, upsert } = request
    const scope = scopeOf(request)
    const append = (decision: Decision<Update>) =>
      appendDecision(eventStore, decision, request, scope)
    const changeOf = (externalId: string) =>
      changeProperties({ factId: ids.next(), externalId, set, unset, now: clock.now() })
    try {
      const former = await ofFormerEntity(eventStore, request, changeOf)
      if (former !== undefined) return former
      if (upsert) {
        const now = clock.now()
        const creation = createEntity({ factId: ids.next(), externalId, properties: set, now })
        const created = await unlessRefused(append(creation), 'stream_exists')
        if (created !== undefined) return created
        if (changesNothing(request)) return await unchanged(eventStore, creation, request)
      }
      const change = changeOf(externalId)
      if (Object.keys(set).length > 0 && (await isFull(externalId))) {
        const found = await unlessUnknown(findStored(eventStore, change, request, scope))
        if (found === undefined) throw new RuleRefused([fullProfile], 'set')
        if (found !== 'unknown') return found
      }
      return await append(change)
    } catch (error) {
      throw entityError(error)
    }
  }
}

async function ofFormerEntity(
  eventStore: EventStore,
  request: UpdateEntityRequest,
  changeOf: (externalId: string) => Decision<Update>,
): Promise<StoredDecision<Update> | undefined> {
  const { formerEntity } = request
  if (formerEntity === undefined) return undefined
  const scope = scopeOf({ ...request, externalId: formerEntity })
  return findStoredElsewhere(eventStore, changeOf(formerEntity), request, scope)
}

function changesNothing({ set, unset }: UpdateEntityRequest): boolean {
  return unset.length === 0 && Object.keys(set).length === 0
}

/**
 * The fact stored under the key, or the response that nothing changed. The entity exists, because its
 * creation was refused.
 */
async function unchanged(
  eventStore: EventStore,
  creation: Decision<Update>,
  request: UpdateEntityRequest,
): Promise<StoredDecision<Update> | EntityUnchanged> {
  const scope = scopeOf(request)
  const stored = await findStored(eventStore, creation, request, scope)
  if (stored !== undefined) return stored
  const position = await positionOfFirst(eventStore, creation, request, scope)
  return { fact: undefined, position, replayed: false }
}

/**
 * Returns 'unknown' for a fact that may be stored. The caller then appends despite the limit, and the store
 * settles whether the fact was stored.
 */
async function unlessUnknown<T>(found: Promise<T>): Promise<T | 'unknown'> {
  try {
    return await found
  } catch (error) {
    if (isRefused(error, 'outcome_unknown')) return 'unknown'
    throw error
  }
}

/** Recognises a repeat by either kind of fact. A creation keeps only `set` to compare with. */
function scopeOf(request: UpdateEntityRequest): IdempotencyScope<Update> {
  return {
    command: 'update-entity',
    read: (stored) =>
      factTable.EntityPropertiesChanged.read(stored) ?? factTable.EntityCreated.read(stored),
    isSame: (stored) =>
      stored.type === 'EntityCreated'
        ? sameJson(stored.data.properties, request.set)
        : isSameChange(stored, request),
  }
}

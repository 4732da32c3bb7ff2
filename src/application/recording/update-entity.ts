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

/** A request whose values the caller has validated by the rules of the domain. */
export interface UpdateEntityRequest extends RequestContext {
  readonly externalId: string
  /**
   * The top-level properties to set, with their new values. All other properties stay, except those
   * in `unset`.
   */
  readonly set: JsonObject
  /** The top-level properties to remove. None of them is in `set`. */
  readonly unset: readonly string[]
  readonly upsert: boolean
  /**
   * The time of the change, or of the creation if the entity is created. When undefined, the time
   * of recording.
   */
  readonly occurredAt?: Date | undefined
  /** Whether a repeated request with the same idempotency key may have another `occurredAt`. */
  readonly ignoresTime?: boolean | undefined
  /**
   * Another external id. An earlier attempt of this request may be stored under it, with the same
   * idempotency key.
   */
  readonly formerEntity?: string | undefined
}

/**
 * The result of a request that changes nothing about an existing entity. Such a request stores no
 * fact.
 */
export interface EntityUnchanged {
  readonly fact: undefined
  /** The position of the fact that created the entity. */
  readonly position: string
  readonly replayed: false
}

type Update = EntityCreated | EntityPropertiesChanged

/**
 * Returns whether the profile of an entity is full. Returns false when the answer would take too
 * long, because a write does not wait for the answer. Never rejects.
 */
export type IsFull = (externalId: string) => boolean | Promise<boolean>

/**
 * Returns the use case that changes properties of an entity without reading them. Stores a change,
 * or a creation for an upsert of a missing entity. An upsert that changes nothing stores no fact
 * when the entity exists. One idempotency key covers both types of facts, so a repeated request
 * finds the stored fact.
 *
 * A change that sets properties of a full profile is refused, but a repeated request still gets the
 * response of the first request. Throws `entity_not_found`, `entity_removed`, `RuleRefused`,
 * `idempotency_key_reused`, and the errors of `EventStore.append`.
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
    const { externalId, set, unset, upsert, occurredAt } = request
    const scope = scopeOf(request)
    const append = (decision: Decision<Update>) =>
      appendDecision(eventStore, decision, request, scope)
    const changeOf = (externalId: string) =>
      changeProperties({
        factId: ids.next(),
        externalId,
        set,
        unset,
        occurredAt,
        now: clock.now(),
      })
    try {
      const former = await ofFormerEntity(eventStore, request, changeOf)
      if (former !== undefined) return former
      if (upsert) {
        const now = clock.now()
        const creation = createEntity({
          factId: ids.next(),
          externalId,
          properties: set,
          occurredAt,
          now,
        })
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
 * Returns the fact that is stored under the idempotency key, or the result for a request that
 * changes nothing. Call it when the store has refused the creation, because the entity exists.
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
 * Returns `unknown` if the fact may be stored. The caller then appends the change despite the
 * limit, so that the store recognises a repeated request.
 */
async function unlessUnknown<T>(found: Promise<T>): Promise<T | 'unknown'> {
  try {
    return await found
  } catch (error) {
    if (isRefused(error, 'outcome_unknown')) return 'unknown'
    throw error
  }
}

/**
 * Returns a scope that recognises both types of facts that the request may have stored. A stored
 * creation is compared only with `set` and `occurredAt`.
 */
function scopeOf(request: UpdateEntityRequest): IdempotencyScope<Update> {
  const { set, occurredAt, ignoresTime = false } = request
  const isSameTime = ({ data }: Update) =>
    ignoresTime || data.occurredAt === occurredAt?.toISOString()
  return {
    command: 'update-entity',
    read: (stored) =>
      factTable.EntityPropertiesChanged.read(stored) ?? factTable.EntityCreated.read(stored),
    isSame: (stored) =>
      isSameTime(stored) &&
      (stored.type === 'EntityCreated'
        ? sameJson(stored.data.properties, set)
        : isSameChange(stored, request)),
  }
}

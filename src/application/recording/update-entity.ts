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

/** The values keep the rules of the domain: a way in checks them first. */
export interface UpdateEntityRequest extends RequestContext {
  readonly externalId: string
  /** Whole values at the top of the properties; the others stay as they are. */
  readonly set: JsonObject
  /** Names of properties that are to go; none of them is in `set`. */
  readonly unset: readonly string[]
  readonly upsert: boolean
  /** Another name under which the same may have been stored before, with the same key. */
  readonly formerEntity?: string | undefined
}

/** The entity exists and nothing was to change: no fact is stored. */
export interface EntityUnchanged {
  readonly fact: undefined
  /** That of the entity's creation. */
  readonly position: string
  readonly replayed: false
}

type Update = EntityCreated | EntityPropertiesChanged

/** False also when there is no answer at once: a write does not wait for it. Never rejects. */
export type IsFull = (externalId: string) => boolean | Promise<boolean>

/**
 * Changes properties of an entity without reading them. The fact says what came of it: a change, or of
 * an upsert a creation; an upsert without a change stores none where the entity exists. A key covers
 * both facts, so a repeat finds whichever was stored.
 * A full profile takes no more properties; a repeat of what it took is answered as before.
 * Throws `entity_not_found`, `entity_removed`, `RuleRefused`, `idempotency_key_reused`,
 * and what `EventStore.append` throws.
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

/** What is stored under the key; else that the entity exists, which refused its creation. */
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

/** What may be stored is sent as it would be without the limit: the store then says whether it is. */
async function unlessUnknown<T>(found: Promise<T>): Promise<T | 'unknown'> {
  try {
    return await found
  } catch (error) {
    if (isRefused(error, 'outcome_unknown')) return 'unknown'
    throw error
  }
}

/** Whatever the stored request made of it. Of a creation only `set` is left to compare. */
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

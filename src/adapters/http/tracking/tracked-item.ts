import { hash } from 'node:crypto'
import { scan } from 'secure-json-parse'
import { maxAppendBytes } from '../../../application/facts/stored-fact.js'
import { isJsonObject, type Json, type JsonObject } from '../../../domain/json.js'
import { maxMembers } from '../../../domain/properties.js'
import type { Detail } from '../errors/faults.js'
import { trackedTypes, type TimeReplacement, type TrackedType } from '../ports/observers.js'
import { isAbsent, ItemMembers, withMembers } from './item-members.js'
import { pickedContext, type ContextPath } from './picked-context.js'
import { timeOf, trackedTime, type TrackedTime } from './tracked-time.js'

export interface TrackedRequest {
  /** The time at which the request's headers arrived. */
  readonly receipt: Date
  /** The time at which the device sent the request, by the device's clock. Undefined without a valid time. */
  readonly sentAt: Date | undefined
  /** The context of the batch. Values in an item's own context take precedence. */
  readonly context: Json | undefined
  readonly isRetry: boolean
  readonly mayHaveProto: boolean
  /** Whether the body is large enough for an item to exceed the size limit of a fact. */
  readonly mayBeLarge: boolean
  readonly contextPaths: readonly ContextPath[]
}

/** One write of an item: either an event, or properties of the entity. */
export type TrackedWrite =
  | { readonly set: JsonObject }
  | {
      readonly name: string
      readonly properties: JsonObject
      /**
       * The names of properties that this adapter added to the sent properties. When the same
       * message arrives again, these properties may be missing or have other values. So comparisons
       * ignore them.
       */
      readonly added: readonly string[]
    }

export interface TrackedItem {
  readonly type: TrackedType
  readonly messageId: string | undefined
  readonly entity: string
  /**
   * The external id of the user's anonymous entity. A retry looks for the item under this entity,
   * too.
   */
  readonly formerEntity: string | undefined
  readonly occurredAt: Date | undefined
  /** The own time of a change of properties. Undefined if the item has no readable time. */
  readonly changedAt: Date | undefined
  /** The reason why the time of receipt replaced the item's time. Undefined if it did not. */
  readonly timeReplacedFor: TimeReplacement | undefined
  readonly writes: readonly TrackedWrite[]
}

export interface RefusedItem {
  readonly type: TrackedType | undefined
  readonly messageId: string | undefined
  readonly details: readonly Detail[]
}

const anonymousPrefix = 'anon:'

/**
 * The maximum length of a message id that is used unchanged. Longer message ids are hashed, so that
 * error messages do not repeat them. Hashing loses nothing, because stores look up idempotency keys
 * by their hash.
 */
const maxMessageIdLength = 255

/**
 * Converts a sent item into writes, or into its violations. `pathType` is the item type of the
 * request path. Without it, the member `type` says the item type. Never throws.
 */
export function trackedItem(
  sent: Json,
  pathType: TrackedType | undefined,
  request: TrackedRequest,
): TrackedItem | RefusedItem {
  if (!isJsonObject(sent)) {
    const detail = { path: '', code: 'wrong_type', message: 'must be a JSON object' } as const
    return { type: pathType, messageId: undefined, details: [detail] }
  }
  const members = new ItemMembers(sent)
  const type = pathType ?? typeOf(members)
  const messageId = messageIdOf(members)
  if (request.mayHaveProto && hasProto(sent)) {
    const message = 'has a member "__proto__", a name that is not allowed'
    const detail = { path: '', code: 'bad_characters', message } as const
    return { type, messageId, details: [detail] }
  }
  const isRetry = request.isRetry || isRepeat(members.of('_metadata'))
  const { entity, formerEntity, anonymousId } = owners(members, isRetry)
  const time = timeOfItem(members, request)
  const parts: ContextParts = { anonymousId, unreadableTime: time.unreadable, request }
  const writes = type === undefined ? [] : writesOf(type, members, parts)
  if (type === undefined || entity === undefined || members.details.length > 0) {
    return { type, messageId, details: members.details }
  }
  return { type, messageId, entity, formerEntity, ...timesOf(time), writes }
}

function timesOf({ at, replacedFor }: TrackedTime) {
  const changedAt = replacedFor === 'not_a_time' ? undefined : at
  return { occurredAt: at, changedAt, timeReplacedFor: replacedFor }
}

function messageIdOf(members: ItemMembers): string | undefined {
  const id = members.id('messageId')
  if (id?.isWellFormed() === false) {
    members.refuse('messageId', 'ill_formed', 'must be well-formed Unicode')
  }
  return id
}

/**
 * Returns the idempotency key of a message id, or undefined without a message id. The key contains
 * a space, which prevents collisions with idempotency keys of other routes.
 */
export function keyOfMessage(messageId: string | undefined): string | undefined {
  if (messageId === undefined) return undefined
  const isLong = messageId.length > maxMessageIdLength
  return `message ${isLong ? hash('sha256', messageId) : messageId}`
}

/** Returns whether the SDK's metadata mark the request as a retry. */
export function isRepeat(metadata: Json | undefined): boolean {
  const count = isJsonObject(metadata) ? metadata['retryCount'] : undefined
  return typeof count === 'number' && count > 0
}

function typeOf(members: ItemMembers): TrackedType | undefined {
  const type = members.of('type')
  const found = trackedTypes.find((one) => one === type)
  if (found !== undefined) return found
  if (type === undefined || type === null) members.refuse('type', 'required', 'is required')
  else {
    const message = `must be one of ${trackedTypes.join(', ')}`
    members.refuse('type', 'unknown_operation', message)
  }
  return undefined
}

/** Returns whether the item has a member "__proto__" at any depth. */
export function hasProto(item: JsonObject): boolean {
  const found: unknown = scan(item, {
    protoAction: 'error',
    constructorAction: 'ignore',
    safe: true,
  })
  return found === null
}

function owners(members: ItemMembers, isRetry: boolean) {
  const before = members.details.length
  const userId = members.id('userId')
  const anonymousId = members.id('anonymousId')
  const isNobody = userId === undefined && anonymousId === undefined
  if (isNobody && members.details.length === before) {
    members.refuse('userId', 'required', 'is required where there is no anonymousId')
  }
  const anonymous = anonymousId === undefined ? undefined : `${anonymousPrefix}${anonymousId}`
  if (anonymous !== undefined) members.checkName(anonymous, 'anonymousId')
  if (userId === undefined) {
    return { entity: anonymous, formerEntity: undefined, anonymousId: undefined }
  }
  members.checkName(userId, 'userId')
  if (userId.startsWith(anonymousPrefix)) {
    members.refuse('userId', 'bad_characters', `must not begin with "${anonymousPrefix}"`)
  }
  return { entity: userId, formerEntity: isRetry ? anonymous : undefined, anonymousId }
}

/** The values for an event's property `context`. */
interface ContextParts {
  /**
   * The anonymous id. Undefined when the item has no user id, because the anonymous id is then the
   * entity.
   */
  readonly anonymousId: string | undefined
  readonly unreadableTime: string | undefined
  readonly request: TrackedRequest
}

function timeOfItem(members: ItemMembers, { sentAt, receipt }: TrackedRequest): TrackedTime {
  const own = members.of('timestamp')
  const stamp = isAbsent(own) ? members.of('originalTimestamp') : own
  return trackedTime(stamp, sentAt ?? timeOf(members.of('sentAt')), receipt)
}

function writesOf(
  type: TrackedType,
  members: ItemMembers,
  parts: ContextParts,
): readonly TrackedWrite[] {
  const event = (name: string, properties: JsonObject, ...place: readonly string[]) => {
    members.checkProperties(properties, ...place)
    return withContext(name, properties, members, parts)
  }
  switch (type) {
    case 'identify':
      return [{ set: identifiedTraits(members, parts.request) }]
    case 'track':
      return [event(members.eventName('event'), members.object('properties'), 'properties')]
    case 'page':
    case 'screen': {
      const about = { name: members.of('name'), category: members.of('category') }
      return [event(type, withMembers(members.object('properties'), about), 'properties')]
    }
    case 'group': {
      const groupId = requiredId(members, 'groupId')
      const traits = groupTraits(members, parts.request)
      // The update comes first: it creates a missing entity with one fact, and the event would need
      // two facts.
      return [{ set: { group_id: groupId } }, event(type, { groupId, traits })]
    }
    case 'alias':
      return [event(type, { previousId: requiredId(members, 'previousId') })]
  }
}

/**
 * The largest size of traits, in bytes. The fact of a new entity is a few bytes shorter than the
 * fact of an existing entity. Traits that fit into only one of the two facts are always refused.
 * Otherwise the reply would reveal whether the entity exists.
 */
const maxTraitsBytes = maxAppendBytes - 2_048

function identifiedTraits(members: ItemMembers, request: TrackedRequest): JsonObject {
  const traits = members.traitsOver(contextTraits(members, request))
  // Skips invalid traits, because they may be nested too deeply for `JSON.stringify`.
  if (!request.mayBeLarge || members.details.length > 0) return traits
  if (Buffer.byteLength(JSON.stringify(traits)) > maxTraitsBytes) {
    members.refuse('traits', 'too_long', 'are larger than 1 MiB, or nearly so')
  }
  return traits
}

/**
 * Returns the traits of a group. Returns the traits in the context only when `traits` is absent,
 * because SDKs put the user's traits into the context.
 */
function groupTraits(members: ItemMembers, request: TrackedRequest): JsonObject {
  if (!isAbsent(members.of('traits'))) return members.object('traits')
  return members.objectAt(contextTraits(members, request), 'context', 'traits')
}

function contextTraits(members: ItemMembers, { context }: TrackedRequest): Json | undefined {
  return pickedContext(traitsPath, [members.of('context'), context])['traits']
}

const traitsPath: readonly ContextPath[] = [['traits']]

function requiredId(members: ItemMembers, name: string): string {
  const before = members.details.length
  const id = members.id(name)
  if (id === undefined && members.details.length === before) {
    members.refuse(name, 'required', 'is required')
  }
  return id ?? ''
}

/**
 * Returns the event with the stored part of its context as the property `context`. Omits the
 * context when the event already has a property of that name or has no room for another property.
 */
function withContext(
  name: string,
  properties: JsonObject,
  members: ItemMembers,
  { anonymousId, unreadableTime, request }: ContextParts,
): TrackedWrite {
  if (Object.hasOwn(properties, 'context')) return { name, properties, added: [] }
  const added = ['context']
  const picked = pickedContext(request.contextPaths, [members.of('context'), request.context])
  if (anonymousId !== undefined) picked['anonymousId'] = anonymousId
  if (unreadableTime !== undefined) picked['timestamp'] = unreadableTime
  const hasRoom = Object.keys(properties).length < maxMembers
  if (!hasRoom || Object.keys(picked).length === 0) return { name, properties, added }
  members.checkProperties({ context: picked })
  return { name, properties: { ...properties, context: picked }, added }
}

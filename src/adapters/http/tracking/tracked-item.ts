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
  /** When its head arrived. */
  readonly receipt: Date
  /** When the device says that it sent it, if that is a time. */
  readonly sentAt: Date | undefined
  /** Lies under the context of each item. */
  readonly context: Json | undefined
  readonly isRetry: boolean
  readonly mayHaveProto: boolean
  /** Whether one item may hold more than a fact does. */
  readonly mayBeLarge: boolean
  readonly contextPaths: readonly ContextPath[]
}

/** A write of an item: an event, or properties of the entity. */
export type TrackedWrite =
  | { readonly set: JsonObject }
  | {
      readonly name: string
      readonly properties: JsonObject
      /** Names of properties that were not sent as properties, and may be missing in another attempt. */
      readonly added: readonly string[]
    }

export interface TrackedItem {
  readonly type: TrackedType
  readonly messageId: string | undefined
  readonly entity: string
  /** The anonymous entity of the user, which may have the item already if it was sent before. */
  readonly formerEntity: string | undefined
  readonly occurredAt: Date | undefined
  /** Why the time of receipt replaced the time of the item; undefined if it did not. */
  readonly timeReplacedFor: TimeReplacement | undefined
  readonly writes: readonly TrackedWrite[]
}

export interface RefusedItem {
  readonly type: TrackedType | undefined
  readonly messageId: string | undefined
  readonly details: readonly Detail[]
}

const anonymousPrefix = 'anon:'

/** Longer ids are hashed: a key is found by its hash in any case, and errors repeat the id. */
const maxMessageIdLength = 255

/** `pathType`: what the path says that it is, else its `type` says so. Never throws. */
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
    const message = 'has a member "__proto__", which no member may be called'
    const detail = { path: '', code: 'bad_characters', message } as const
    return { type, messageId, details: [detail] }
  }
  const isRetry = request.isRetry || isRepeat(members.of('_metadata'))
  const { entity, formerEntity, anonymousId } = owners(members, isRetry)
  const time = timeOfItem(type, members, request)
  const parts: ContextParts = { anonymousId, unreadableTime: time.unreadable, request }
  const writes = type === undefined ? [] : writesOf(type, members, parts)
  if (type === undefined || entity === undefined || members.details.length > 0) {
    return { type, messageId, details: members.details }
  }
  const { at: occurredAt, replacedFor: timeReplacedFor } = time
  return { type, messageId, entity, formerEntity, occurredAt, timeReplacedFor, writes }
}

function messageIdOf(members: ItemMembers): string | undefined {
  const id = members.id('messageId')
  if (id?.isWellFormed() === false) {
    members.refuse('messageId', 'ill_formed', 'must be well-formed Unicode')
  }
  return id
}

/** Equal to no key of another way in: those have no space. Undefined: the item has no id. */
export function keyOfMessage(messageId: string | undefined): string | undefined {
  if (messageId === undefined) return undefined
  const isLong = messageId.length > maxMessageIdLength
  return `message ${isLong ? hash('sha256', messageId) : messageId}`
}

/** Whether the SDK says there that it has sent this before. */
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

/** Whether a member "__proto__" is in it, at any depth. */
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

/** What the property `context` of an item's event is made of. */
interface ContextParts {
  /** Undefined where the item has no user id: it is then the entity itself. */
  readonly anonymousId: string | undefined
  readonly unreadableTime: string | undefined
  readonly request: TrackedRequest
}

const noTime: TrackedTime = { at: undefined, replacedFor: undefined, unreadable: undefined }

function timeOfItem(
  type: TrackedType | undefined,
  members: ItemMembers,
  { sentAt, receipt }: TrackedRequest,
): TrackedTime {
  // Nothing that an identify stores has a time of its own.
  if (type === 'identify') return noTime
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
      // First, so that who is not there yet is created by it: one fact less than by the event.
      return [{ set: { group_id: groupId } }, event(type, { groupId, traits })]
    }
    case 'alias':
      return [event(type, { previousId: requiredId(members, 'previousId') })]
  }
}

/**
 * The fact of a new entity is some bytes shorter than that of an entity that exists. Traits that may fit into
 * only one of the two facts are refused, because the reply would tell whether the entity exists.
 */
const maxTraitsBytes = maxAppendBytes - 2_048

function identifiedTraits(members: ItemMembers, request: TrackedRequest): JsonObject {
  const traits = members.traitsOver(contextTraits(members, request))
  // Traits with a fault may be too deep to be written as JSON.
  if (!request.mayBeLarge || members.details.length > 0) return traits
  if (Buffer.byteLength(JSON.stringify(traits)) > maxTraitsBytes) {
    members.refuse('traits', 'too_long', 'are larger than 1 MiB, or nearly so')
  }
  return traits
}

/** SDKs put the traits of the user into the context of a group: they count only where `traits` is absent. */
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

/** The event with the stored part of its context, unless it has a property of that name or no room for one. */
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

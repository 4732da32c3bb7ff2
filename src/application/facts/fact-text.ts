import { shownTimeOf, type PropertyChange } from '../../domain/facts.js'
import { JsonText } from '../../domain/json.js'
import { isFactName, readEntityFact, readFact } from './fact-format.js'
import { factTable } from './fact-table.js'
import { requestIdIn, versionIn } from './metadata.js'
import { type StoredFact, UnreadableFact } from './stored-fact.js'

/**
 * The members of an event that readers get. The functions in this file copy JSON from the stored text without
 * parsing it: the fact was validated when it was applied. If the text has another form than this version
 * writes, the functions use `readFact`.
 */

interface EventText {
  readonly id: string
  readonly name: string
  readonly properties: JsonText
  readonly recordedAt: string
  /** The time that the caller gave, or `recordedAt` when the caller gave none. */
  readonly occurredAt: string
}

/** Returns a fact's data as JSON, in the newest version of its type. Throws `UnreadableFact` for an unknown type. */
export function dataText(stored: StoredFact): JsonText {
  if (isWritten(stored)) return new JsonText(stored.data)
  const fact = readFact(stored)
  if (fact === undefined) throw new UnreadableFact(`fact ${stored.id} has an unknown type`)
  return JsonText.of(fact.data)
}

export function requestIdOf({ id, metadata }: StoredFact): string {
  const requestId = requestIdIn(metadata)
  if (requestId === undefined)
    throw new UnreadableFact(`fact ${id} does not have the metadata of Dossier`)
  return requestId
}

/** Returns the reason of a void. Undefined for a void without a reason. */
export function voidReasonIn(stored: StoredFact): string | undefined {
  const fact = factTable.EventVoided.read(stored)
  if (fact === undefined) throw new UnreadableFact(`fact ${stored.id} is not a void`)
  return fact.data.reason
}

export function eventTexts(externalId: string): (stored: StoredFact) => EventText {
  const begin = `{"entityExternalId":${JSON.stringify(externalId)},"name":"`
  return (stored) => (isWritten(stored) ? eventIn(stored, begin) : undefined) ?? read(stored)
}

/** Returns whether the fact's data has the form of the newest version of its type. */
function isWritten({ type, metadata }: StoredFact): boolean {
  if (!isFactName(type)) return false
  const version = versionIn(metadata)
  return version !== undefined && factTable[type].isCurrent(version)
}

/**
 * Returns the properties that a creation or a change sets and unsets. Undefined for another type of fact. Skips
 * the validation of the data, which takes most of the time of `readFact`.
 */
export function propertyChangeIn(stored: StoredFact): PropertyChange | undefined {
  const { type, data, metadata } = stored
  if (type !== 'EntityCreated' && type !== 'EntityPropertiesChanged') return undefined
  // Uses constant names: a look-up by a text that was just read from a file takes longer than the comparisons.
  const { isCurrent } =
    type === 'EntityCreated' ? factTable.EntityCreated : factTable.EntityPropertiesChanged
  const version = versionIn(metadata)
  if (version === undefined || !isCurrent(version)) return changeOf(stored)
  // The cast is safe, because the fact was validated when it was applied.
  const { properties, set, unset } = JSON.parse(data) as Partial<PropertyChange> & {
    readonly properties?: PropertyChange['set']
  }
  return { set: set ?? properties ?? {}, unset: unset ?? [] }
}

/**
 * Returns whether the text of a fact can name a property. A search that reads many facts parses only those. `quoted` is
 * the name as JSON. Text with a backslash can name every property, because JSON can escape each character.
 */
export function mayName({ data }: StoredFact, quoted: string): boolean {
  return data.includes(quoted) || data.includes('\\')
}

function changeOf(stored: StoredFact): PropertyChange | undefined {
  const { effect } = readEntityFact(stored)
  return effect.kind === 'created' || effect.kind === 'properties' ? effect : undefined
}

const propertiesAfterName = '","properties":{'
const recordedAtMember = ',"recordedAt":"'
const occurredAtMember = '","occurredAt":"'
const end = '"}'
const timeLength = '2026-11-20T09:30:00.000Z'.length

/**
 * Cuts the members of an event out of its text, at the offsets where `JSON.stringify` writes them. Returns
 * undefined for text in another form. A marker with quotes is never part of a value, because a quote inside a
 * string is escaped.
 */
function eventIn({ id, data }: StoredFact, begin: string): EventText | undefined {
  if (!data.startsWith(begin) || !data.endsWith(end)) return undefined
  const nameEnd = data.indexOf(propertiesAfterName, begin.length)
  const name = data.slice(begin.length, nameEnd)
  if (nameEnd < 0 || /["\\]/.test(name)) return undefined
  const lastAt = data.length - end.length - timeLength
  const hasOccurredAt = data.startsWith(occurredAtMember, lastAt - occurredAtMember.length)
  const recordedAtAt = hasOccurredAt ? lastAt - occurredAtMember.length - timeLength : lastAt
  const propertiesEnd = recordedAtAt - recordedAtMember.length
  if (!data.startsWith(`}${recordedAtMember}`, propertiesEnd - 1)) return undefined
  const recordedAt = timeAt(data, recordedAtAt)
  const properties = data.slice(nameEnd + propertiesAfterName.length - 1, propertiesEnd)
  return {
    id,
    name,
    properties: new JsonText(properties),
    recordedAt,
    occurredAt: hasOccurredAt ? timeAt(data, lastAt) : recordedAt,
  }
}

function timeAt(data: string, at: number): string {
  return data.slice(at, at + timeLength)
}

function read(stored: StoredFact): EventText {
  const event = readEntityFact(stored)
  const { id, recordedAt, effect } = event
  const occurredAt = shownTimeOf(event)
  if (effect.kind !== 'event') throw new UnreadableFact(`fact ${id} is not an event`)
  const { name, properties } = effect.event
  return { id, name, properties: JsonText.of(properties), recordedAt, occurredAt }
}

import { JsonText } from '../../domain/json.js'
import { isFactName, readEntityFact, readFact } from './fact-format.js'
import { factTable } from './fact-table.js'
import { requestIdIn, versionIn } from './metadata.js'
import { type StoredFact, UnreadableFact } from './stored-fact.js'

/**
 * What readers get of a fact that was applied, from its text as it is stored: its members were checked
 * then. Where the text is not as this version writes it, the fact is read.
 */

interface EventText {
  readonly id: string
  readonly name: string
  readonly properties: JsonText
  readonly recordedAt: string
  /** `recordedAt` where nothing else was said. */
  readonly occurredAt: string
}

/** The data in the newest version of its type. Throws `UnreadableFact` where the fact is none of ours. */
export function dataText(stored: StoredFact): JsonText {
  if (isWritten(stored)) return new JsonText(stored.data)
  const fact = readFact(stored)
  if (fact === undefined) throw new UnreadableFact(`fact ${stored.id} is of no type of ours`)
  return JsonText.of(fact.data)
}

export function requestIdOf({ id, metadata }: StoredFact): string {
  const requestId = requestIdIn(metadata)
  if (requestId === undefined) throw new UnreadableFact(`fact ${id} has no metadata of ours`)
  return requestId
}

export function eventTexts(externalId: string): (stored: StoredFact) => EventText {
  const begin = `{"entityExternalId":${JSON.stringify(externalId)},"name":"`
  return (stored) => (isWritten(stored) ? eventIn(stored, begin) : undefined) ?? read(stored)
}

/** By this version, or one before it with the same version of the type. */
function isWritten({ type, metadata }: StoredFact): boolean {
  return isFactName(type) && versionIn(metadata) === factTable[type].version
}

const propertiesAfterName = '","properties":{'
const recordedAtMember = ',"recordedAt":"'
const occurredAtMember = '","occurredAt":"'
const end = '"}'
const timeLength = '2026-11-20T09:30:00.000Z'.length

/**
 * The members where `JSON.stringify` wrote them. A quote behind a comma opens or closes a string, for
 * one inside a string has a backslash before it: what is found by its quotes is no part of a value.
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
  const { id, recordedAt, tookEffectAt: occurredAt, effect } = readEntityFact(stored)
  if (effect.kind !== 'event') throw new UnreadableFact(`fact ${id} is no event`)
  const { name, properties } = effect.event
  return { id, name, properties: JsonText.of(properties), recordedAt, occurredAt }
}

import { sameJson, JsonText } from '../../../../domain/json.js'
import { isFullProfile, type Profile } from '../../../../domain/profile.js'
import { parsePointer, valueAt } from '../../../../domain/segments/rule/pointer.js'
import type {
  EntityProfile,
  Queries,
  QueryName,
  QueryOf,
} from '../../../../application/reading/ports/read-model.js'
import { timestampIn } from '../../file/row.js'
import type { FoldedEntity, PastProfile } from './folded-entity.js'
import { isRefused, refusedAnswers } from '../../../../application/ports/refusal.js'
import { isSqliteError, reasonOf } from '../../file/driver.js'

const fieldNames: Readonly<Record<keyof Profile, string>> = {
  externalId: 'external_id',
  entityId: 'entity_id',
  properties: 'properties',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  eventCount: 'event_count',
  lastEventAt: 'last_event_at',
}
const listedFields = ['externalId', 'entityId', 'properties', 'createdAt', 'updatedAt'] as const
type AnsweredProfile = Pick<EntityProfile, keyof Profile>

const profileFields = [...listedFields, 'eventCount', 'lastEventAt'] as const

/**
 * Compares `profile`, which is answered, with the facts wherever a profile is answered. `isMarkedFull`: it
 * is among those that take no more properties.
 */
export async function compareProfile(
  query: RunQuery,
  profile: AnsweredProfile,
  folded: FoldedEntity,
  isMarkedFull: boolean,
): Promise<readonly string[]> {
  const { externalId, entityId } = folded.profile
  const [creation = 0] = folded.changes
  const listed = await query('entities', { after: creation - 1, limit: 1 })
  const byId = await query('entityById', { entityId })
  return [
    ...inOneLineEach([
      ['its profile', compareFields(profileFields, profile, folded.profile)],
      ['the list of entities', compareFields(listedFields, listed.items[0], folded.profile)],
      ['the entity by its entity_id', compareFields(listedFields, byId, folded.profile)],
    ]),
    ...compareFull(isMarkedFull, folded.profile),
    ...(await comparePast(query, externalId, folded.past)),
  ]
}

/** Whether it is found by each of its texts. `pointers`: of the properties that entities are found by. */
export async function compareFound(
  query: RunQuery,
  { profile, changes }: FoldedEntity,
  pointers: readonly string[],
): Promise<readonly string[]> {
  const [creation = 0] = changes
  const differences: string[] = []
  for (const pointer of pointers) {
    const text = valueAt(profile.properties, parsePointer(pointer))
    if (typeof text !== 'string') continue
    const place = { pointer, text, after: creation - 1, limit: 1 }
    const { items } = await query('entitiesByProperty', place)
    if (items[0]?.externalId !== profile.externalId)
      differences.push(`it is not found by ${pointer}`)
  }
  return differences
}

/** A difference, with all places where it is found. */
function inOneLineEach(
  found: readonly (readonly [place: string, differences: readonly string[]])[],
): readonly string[] {
  const places = new Map<string, readonly string[]>()
  for (const [place, differences] of found) {
    for (const difference of differences) {
      places.set(difference, [...(places.get(difference) ?? []), place])
    }
  }
  return [...places].map(([difference, where]) => `${difference} (${where.join(', ')})`)
}

/** Values of properties are not shown. */
function compareFields<Field extends keyof Profile>(
  fields: readonly Field[],
  answered: Pick<AnsweredProfile, Field> | undefined,
  expected: Profile,
): readonly string[] {
  if (answered === undefined) return ['it is missing']
  return fields.flatMap((field) =>
    compareValues(fieldNames[field], answered[field], expected[field]),
  )
}

function compareValues(
  name: string,
  answered: AnsweredProfile[keyof Profile],
  expected: Profile[keyof Profile],
): readonly string[] {
  if (answered instanceof JsonText && typeof expected === 'object') {
    return sameJson(answered.value, expected) ? [] : [`${name} are not what its facts say`]
  }
  if (answered === expected) return []
  return [`${name} is ${textOf(answered)}, by its facts ${textOf(expected)}`]
}

function textOf(value: (AnsweredProfile | Profile)[keyof Profile]): string {
  if (value === undefined) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function compareFull(isMarkedFull: boolean, { properties }: Profile): readonly string[] {
  const bytes = Buffer.byteLength(JSON.stringify(properties))
  if (isMarkedFull === isFullProfile(Object.keys(properties).length, bytes)) return []
  return [
    isMarkedFull
      ? 'its profile takes no more properties, and is not full by its facts'
      : 'its profile takes more properties, and is full by its facts',
  ]
}

function comparePast(
  query: RunQuery,
  externalId: string,
  { asOf, knownAt, profile }: PastProfile,
): Promise<readonly string[]> {
  const what = `its profile as_of=${timestampIn(asOf)}&known_at=${timestampIn(knownAt)}`
  return differencesIn(what, async () => {
    const answered = await query('profileAt', { externalId, asOf, knownAt })
    if (profile === undefined) return answered === undefined ? [] : [`${what} is answered`]
    return inOneLineEach([[what, compareFields(profileFields, answered, profile)]])
  })
}

/** Runs the queries that HTTP is served from. */
export type RunQuery = <Name extends QueryName>(
  name: Name,
  query: QueryOf<Name>,
) => Promise<Queries[Name]['answer']>

/**
 * The differences that a comparison finds: one, where nothing can be answered, and none, where the
 * service refuses to answer it, as a fold of too many facts. Throws what SQLite says.
 */
export async function differencesIn(
  what: string,
  compare: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    return await compare()
  } catch (error) {
    if (isSqliteError(error)) throw error
    return isRefused(error, ...refusedAnswers)
      ? []
      : [`${what} cannot be answered (${reasonOf(error)})`]
  }
}

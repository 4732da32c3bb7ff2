import type { z } from 'zod'
import type { AnyFact, Meaning } from '../../domain/facts.js'
import { readMetadata } from './metadata.js'
import { parseJson } from './metadata-text.js'
import { type StoredFact, NewerSchemaVersion, UnreadableFact } from './stored-fact.js'

/** A former version of a fact's data. Facts in this version are still read. */
interface OlderVersion {
  readonly schema: z.ZodType
  /** Converts data of this version to the next version. Returns undefined when the data is not valid. */
  upcast(data: unknown): unknown
}

/** Declares a former version. `upcast` converts its data to the next version; by default the data stays as it is. */
export function olderVersion<T>(
  schema: z.ZodType<T>,
  upcast: (data: T) => unknown = (data) => data,
): OlderVersion {
  return {
    schema,
    upcast: (data) => {
      const { success, data: parsed } = schema.safeParse(data)
      return success ? upcast(parsed) : undefined
    },
  }
}

export type FactChannel =
  | 'entity'
  | 'segments'
  | 'members'
  | 'clock'
  | 'erasures'
  | 'erased'
  | 'webhooks'
  | 'progress'

/**
 * The names of a type's members, at every level. Optional members become required, and each value
 * has the type `true`.
 */
type Members<T> = T extends object
  ? { readonly [Name in keyof T]-?: Members<Exclude<T[Name], undefined>> }
  : true

/**
 * Is `unknown` if both types have members with equal names, including optional members. Otherwise `never`, so
 * that the code does not compile.
 */
type SameMembers<One, Other> = [Members<One>, Members<Other>] extends [Members<Other>, Members<One>]
  ? unknown
  : never

interface FactTypeDefinition<F extends AnyFact> {
  readonly type: F['type']
  readonly channel: FactChannel
  readonly summary: string
  /**
   * The members of the data that contain an external id, in any version. Empty when no member contains one. An
   * erasure searches files for the values of these members.
   */
  readonly externalIds: readonly (keyof F['data'] & string)[]
  /** Returns the meaning of the fact: the time of recording, and the effect on an entity. */
  readonly means: (fact: F) => Meaning
  /** The schema of the newest version. Facts are written in this version: see `newMember`. */
  readonly schema: z.ZodType<F['data']>
  /**
   * The member that only the newest version has. A fact without this member is written in the previous version,
   * so that processes of an earlier release can still read it. Undefined when all facts are written in the
   * newest version.
   */
  readonly newMember?: keyof F['data'] & string
  /**
   * The kind of cause that only the newest version has. Works like `newMember`: a fact with another cause is
   * written in the previous version.
   */
  readonly newCause?: string
  /** The former versions, oldest first. */
  readonly older?: readonly OlderVersion[]
  /** The example in the published documents. */
  readonly example: F
}

export interface FactType<F extends AnyFact> extends FactTypeDefinition<F> {
  /** The schemas of all versions, oldest first. */
  readonly schemas: readonly z.ZodType[]
  readonly version: number
  /** Returns the version in which a fact with this data is written. */
  readonly writtenVersion: (data: object) => number
  /** Returns whether data of a version already has the form of the newest version, so that it needs no conversion. */
  readonly isCurrent: (version: number) => boolean
  /**
   * Reads a fact and converts it to the newest version. Returns undefined for a fact of another type. Throws
   * `NewerSchemaVersion` and `UnreadableFact`.
   */
  readonly read: (stored: StoredFact) => F | undefined
}

/**
 * Declares a type of fact. The code does not compile if the schema and the type `F` have different
 * members, including optional members. The function returns a second function, so that the compiler
 * can infer `Schema`.
 */
export function factType<F extends AnyFact>() {
  return <Schema extends z.ZodType<F['data']>>(
    definition: FactTypeDefinition<F> & {
      readonly schema: Schema & SameMembers<z.output<Schema>, F['data']>
    },
  ): FactType<F> => declared(definition)
}

function declared<F extends AnyFact>(definition: FactTypeDefinition<F>): FactType<F> {
  const { type, schema, older = [], example, newMember, newCause } = definition
  const schemas = [...older.map((version) => version.schema), schema]
  const newest = schemas.length
  const writesTwo = newMember !== undefined || newCause !== undefined
  const oldestWritten = writesTwo ? newest - 1 : newest
  // If two versions are written, the earlier one only lacks an optional member or a kind of cause. Most facts have
  // the earlier version, and checking them for the new member would cost a third more.
  const schemaOfMost = schemas[oldestWritten - 1] as typeof schema
  const isNew = (data: object) =>
    newMember === undefined ? causeKindIn(data) === newCause : Object.hasOwn(data, newMember)
  const writtenVersion = (data: object) => (!writesTwo || isNew(data) ? newest : oldestWritten)
  const isCurrent = (version: number) => version === newest || version === oldestWritten
  const read = (stored: StoredFact): F | undefined => {
    if (stored.type !== type) return undefined
    const version = versionOf(stored)
    if (version > newest) throw new NewerSchemaVersion(stored.id, version, newest)
    let data = parseJson(stored.data)
    // Skips the upcasts for data in the form of the newest version, because they would validate it twice.
    const upcasts = isCurrent(version) ? [] : older.slice(version - 1)
    for (const before of upcasts) data = before.upcast(data)
    const parsed = (version === oldestWritten ? schemaOfMost : schema).safeParse(data)
    if (!parsed.success) throw unreadable(stored)
    // Spreading the example gives the object its type without a cast.
    return { ...example, id: stored.id, data: parsed.data }
  }
  return { ...definition, schemas, version: newest, writtenVersion, isCurrent, read }
}

function causeKindIn(data: object): unknown {
  const cause: unknown = Reflect.get(data, 'cause')
  return typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'kind') : undefined
}

function versionOf(stored: StoredFact): number {
  const metadata = readMetadata(stored.metadata)
  if (metadata === undefined) throw unreadable(stored)
  return metadata.schemaVersion
}

function unreadable({ id }: StoredFact): UnreadableFact {
  return new UnreadableFact(`fact ${id} does not have the form of its type and version`)
}

import type { z } from 'zod'
import type { AnyFact, Meaning } from '../../domain/facts.js'
import { parseJson, readMetadata } from './metadata.js'
import { type StoredFact, NewerSchemaVersion, UnreadableFact } from './stored-fact.js'

/** A version of a fact's data that is read and no longer written. */
interface OlderVersion {
  readonly schema: z.ZodType
  /** The data in the next version; undefined when it is not of this one. */
  upcast(data: unknown): unknown
}

/** How a version that was written before becomes the next one. */
export function olderVersion<T>(schema: z.ZodType<T>, upcast: (data: T) => unknown): OlderVersion {
  return {
    schema,
    upcast: (data) => {
      const { success, data: parsed } = schema.safeParse(data)
      return success ? upcast(parsed) : undefined
    },
  }
}

export type FactChannel = 'entity' | 'segments' | 'members' | 'clock' | 'erasures' | 'erased'

interface FactTypeDefinition<F extends AnyFact> {
  readonly type: F['type']
  readonly channel: FactChannel
  readonly summary: string
  /** When it was recorded, which entity it is about, and what it does to that one. */
  readonly means: (fact: F) => Meaning
  /** What is written: the newest version. */
  readonly schema: z.ZodType<F['data']>
  readonly older: readonly OlderVersion[]
  /** For the published documents. */
  readonly example: F
}

export class FactType<F extends AnyFact> {
  readonly type: F['type']
  readonly channel: FactChannel
  readonly summary: string
  readonly example: F
  readonly means: (fact: F) => Meaning
  readonly schemas: readonly z.ZodType[]

  constructor(private readonly definition: FactTypeDefinition<F>) {
    const { type, channel, summary, means, example, schema, older } = definition
    this.type = type
    this.channel = channel
    this.summary = summary
    this.example = example
    this.means = means
    this.schemas = [...older.map((version) => version.schema), schema]
  }

  get version(): number {
    return this.schemas.length
  }

  /**
   * In its newest version; undefined: of another type. Throws `NewerSchemaVersion`,
   * `UnreadableFact`.
   */
  read(stored: StoredFact): F | undefined {
    if (stored.type !== this.type) return undefined
    const metadata = readMetadata(stored.metadata)
    if (metadata === undefined) throw unreadable(stored)
    const { schemaVersion: version } = metadata
    if (version > this.version) throw new NewerSchemaVersion(stored.id, version, this.version)
    let data = parseJson(stored.data)
    for (const before of this.definition.older.slice(version - 1)) data = before.upcast(data)
    const parsed = this.definition.schema.safeParse(data)
    if (!parsed.success) throw unreadable(stored)
    return this.factOf(stored.id, parsed.data)
  }

  /** Made from the example, which has the type. */
  private factOf(id: string, data: F['data']): F {
    return { ...this.definition.example, id, data }
  }
}

function unreadable({ id }: StoredFact): UnreadableFact {
  return new UnreadableFact(`fact ${id} does not have the form of its type and version`)
}

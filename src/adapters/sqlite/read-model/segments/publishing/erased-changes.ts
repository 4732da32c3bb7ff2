import type { ErasedEntities } from '../../erased-entities.js'
import { textOf, type PublishedAt, type PublishedChange } from './published-change.js'

interface ReadInstant {
  /** The position of the last change that was read. */
  upTo: number
  /** What was published of erased entities. */
  readonly texts: Set<string>
}

/** Instants that are remembered; they are read again behind that. */
const maxInstants = 1_000

/**
 * Whether a change of an erased entity is published. Many entities may leave at one instant, and each that is
 * erased is asked for: what is published then is read once.
 */
export class ErasedChanges {
  private readonly instants = new Map<string, ReadInstant>()
  /** How many entities were erased when they were read. */
  private erasedThen = 0

  constructor(
    private readonly publishedAt: Pick<PublishedAt, 'behind'>,
    private readonly erased: Pick<ErasedEntities, 'has' | 'count'>,
  ) {}

  has(segment: string, change: PublishedChange): boolean {
    return this.instantOf(segment, change.at).texts.has(textOf(change))
  }

  private instantOf(segment: string, at: number): ReadInstant {
    const { instants, erased } = this
    if (erased.count !== this.erasedThen || instants.size >= maxInstants) instants.clear()
    this.erasedThen = erased.count
    const key = `${segment} ${String(at)}`
    const instant = instants.get(key) ?? { upTo: 0, texts: new Set() }
    instants.set(key, instant)
    for (const { position, change } of this.publishedAt.behind(segment, at, instant.upTo)) {
      instant.upTo = position
      if (change !== undefined && erased.has(change.entityId)) instant.texts.add(textOf(change))
    }
    return instant
  }
}

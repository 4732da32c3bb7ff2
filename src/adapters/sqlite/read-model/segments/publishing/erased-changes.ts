import type { ErasedEntities } from '../../erased-entities.js'
import { textOf, type PublishedAt, type PublishedChange } from './published-change.js'

interface ReadInstant {
  /** The position of the last change that was read. */
  upTo: number
  /** The published changes of erased entities, as `textOf` formats them. */
  readonly texts: Set<string>
}

/** The cache holds this many instants, and is cleared when it is full. */
const maxInstants = 1_000

/**
 * Says whether a change of an erased entity was published. The published changes of an instant are read once and
 * cached, because many erased entities may leave at one instant.
 */
export class ErasedChanges {
  private readonly instants = new Map<string, ReadInstant>()
  /** The number of erased entities when the cache was filled. */
  private erasedThen = 0

  constructor(
    private readonly publishedAt: Pick<PublishedAt, 'publishedAfter'>,
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
    for (const { position, change } of this.publishedAt.publishedAfter(segment, at, instant.upTo)) {
      instant.upTo = position
      if (change !== undefined && erased.has(change.entityId)) instant.texts.add(textOf(change))
    }
    return instant
  }
}

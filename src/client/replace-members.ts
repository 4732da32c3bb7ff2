import type { BatchItem, MemberChange } from './api-types.js'
import type { Batch } from './batch.js'
import type { RefusedItem } from './batch-items.js'
import type { CallOptions } from './requests.js'

export interface Replacement {
  /** The number of added members. */
  readonly added: number
  /** The number of removed members. */
  readonly removed: number
  /** The number of members that were kept. */
  readonly unchanged: number
  /** The refused changes with their `DossierError`, such as `entity_not_found`. */
  readonly refused: readonly RefusedItem[]
}

/**
 * Adds and removes members of a `hand` segment until it has exactly the wanted members.
 *
 * @internal
 */
export class MemberReplacement {
  /** @internal */
  constructor(
    private readonly segment: string,
    private readonly now: AsyncIterable<{ readonly external_id: string }>,
    private readonly batch: Batch,
  ) {}

  async run(
    externalIds: Iterable<string> | AsyncIterable<string>,
    { reason }: MemberChange,
    options: CallOptions,
  ): Promise<Replacement> {
    const missing = new Set<string>()
    for await (const id of externalIds) missing.add(id)
    const wanted = missing.size
    const items: BatchItem[] = []
    const change = { segment: this.segment, ...(reason === undefined ? {} : { reason }) }
    for await (const { external_id } of this.now) {
      if (missing.delete(external_id)) continue
      items.push({ op: 'remove_from_segment', external_id, ...change })
    }
    const removals = items.length
    for (const external_id of missing) items.push({ op: 'add_to_segment', external_id, ...change })
    const refused: RefusedItem[] = []
    let [added, removed] = [0, 0]
    for await (const result of this.batch(items, options)) {
      if (result.error !== undefined) refused.push(result)
      else if (result.item.op === 'add_to_segment') added += 1
      else removed += 1
    }
    return { added, removed, unchanged: wanted - (items.length - removals), refused }
  }
}

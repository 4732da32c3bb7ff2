import type { MemberChange } from './api-types.js'
import type { Batch } from './batch.js'
import { MemberReplacement, type Replacement } from './replace-members.js'
import type { CallOptions } from './requests.js'
import { SegmentCalls } from './segment-calls.js'
import type { Transport } from './transport.js'

/**
 * Segments and their members, including the replacement of all members. Every method throws
 * `DossierError`.
 */
export class Segments extends SegmentCalls {
  /** @internal */
  constructor(
    transport: Transport,
    private readonly batch: Batch,
  ) {
    super(transport)
  }

  /**
   * Replaces the members of a `hand` segment: reads the current members, removes members that are
   * not in `externalIds`, and adds missing members. Keeps all `externalIds` in memory. The
   * replacement is not atomic: a concurrent change of members may undo a part of it.
   */
  replaceMembers(
    key: string,
    externalIds: Iterable<string> | AsyncIterable<string>,
    change: MemberChange = {},
    options: CallOptions = {},
  ): Promise<Replacement> {
    const now = this.members(key, { limit: 1_000 }, options)
    return new MemberReplacement(key, now, this.batch).run(externalIds, change, options)
  }
}

import type { Batch } from './batch.js'
import { MemberReplacement, type Replacement } from './replace-members.js'
import type { CallOptions } from './requests.js'
import { SegmentCalls } from './segment-calls.js'
import type { MemberChange } from './segment-types.js'
import type { Transport } from './transport.js'

/** Segments and their members, one and many at a time. Every method throws `DossierError`. */
export class Segments extends SegmentCalls {
  constructor(
    transport: Transport,
    private readonly batch: Batch,
  ) {
    super(transport)
  }

  /**
   * Makes these the members of a segment by hand: reads who is in it, takes out who is too many, puts in
   * who is missing. `externalIds` are held in memory. Not atomic: whoever else changes members meanwhile
   * may undo a part of it.
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

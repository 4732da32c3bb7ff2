import { replyOf, type Dossier } from 'dossier/client'
import type { MemberList } from './mirror.js'
import { placeAt } from './place.js'
import { errorOf, SegmentMissing } from './service-errors.js'

/** What the service serves of a segment. */
export interface ServedSegment {
  /** The last position that the answer knows. */
  readonly position: bigint
  readonly digest: string
}

/** One segment of the service; each request is sent once. Throws what `errorOf` gives. */
export class SegmentService {
  constructor(
    private readonly dossier: Dossier,
    private readonly segment: string,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Who is in it, in an answer that knows `known`. Who enters or leaves between two pages may be missed
   * or seen: the facts after `place`, which is that of the first page, bring it right. Undefined: there is
   * no such segment.
   */
  members(known: bigint): Promise<MemberList | undefined> {
    return this.asking(known, async (options) => {
      const list = this.dossier.segments.members(this.segment, { limit: 1_000 }, options)
      const first = await list.page()
      const place = placeAt(replyOf(first).position ?? '0')
      const entityIds: string[] = []
      for (let page = first; ; page = await list.page(page.next_cursor)) {
        for (const { entity_id: id } of page.items) entityIds.push(id)
        if (page.next_cursor === null) return { version: first.version, entityIds, place }
      }
    })
  }

  /** Undefined: there is no such segment, or nothing of it is served yet. */
  served(known: bigint): Promise<ServedSegment | undefined> {
    return this.asking(known, async (options) => {
      const segment = await this.dossier.segments.get(this.segment, options)
      const { digest } = segment
      const position = BigInt(replyOf(segment).position ?? 0)
      return digest === null ? undefined : { position, digest }
    })
  }

  private async asking<T>(
    known: bigint,
    ask: (options: { signal: AbortSignal; maxRetries: 0 }) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      this.dossier.note(String(known))
      return await ask({ signal: this.signal, maxRetries: 0 })
    } catch (error) {
      const told = errorOf(error)
      if (told instanceof SegmentMissing) return undefined
      throw told
    }
  }
}

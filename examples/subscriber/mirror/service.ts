import { z } from 'zod'
import type { HttpReader } from './http-reader.js'
import type { MemberList } from './mirror.js'
import { placeAt } from './place.js'
import { SegmentMissing } from './service-errors.js'

/** What the service serves of a segment. */
export interface ServedSegment {
  /** The last position that the answer knows. */
  readonly position: bigint
  readonly digest: string
}

const membersReply = z.object({
  data: z.object({
    items: z.array(z.object({ entity_id: z.string() })),
    version: z.int(),
    next_cursor: z.string().nullable(),
  }),
})
const segmentReply = z.object({ data: z.object({ digest: z.string().nullable() }) })

/** One segment of the service. Throws what `HttpReader` throws. */
export class SegmentService {
  constructor(
    private readonly http: HttpReader,
    private readonly segment: string,
  ) {}

  /**
   * Who is in it, in an answer that knows `known`. Who enters or leaves between two pages may be missed
   * or seen: the facts after `place`, which is that of the first page, bring it right. Undefined: there is
   * no such segment.
   */
  async members(known: bigint): Promise<MemberList | undefined> {
    const path = `/segments/${this.segment}/members?limit=1000`
    return orUndefined(async () => {
      const first = await this.http.json(path, membersReply, known)
      const entityIds: string[] = []
      let page = first.body.data
      for (;;) {
        for (const { entity_id: id } of page.items) entityIds.push(id)
        if (page.next_cursor === null) break
        const next = `${path}&cursor=${encodeURIComponent(page.next_cursor)}`
        page = (await this.http.json(next, membersReply, first.position)).body.data
      }
      const place = placeAt(String(first.position))
      return { version: first.body.data.version, entityIds, place }
    })
  }

  /** Undefined: there is no such segment, or nothing of it is served yet. */
  async served(known: bigint): Promise<ServedSegment | undefined> {
    return orUndefined(async () => {
      const { body, position } = await this.http.json(
        `/segments/${this.segment}`,
        segmentReply,
        known,
      )
      const { digest } = body.data
      return digest === null ? undefined : { position, digest }
    })
  }
}

async function orUndefined<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof SegmentMissing) return undefined
    throw error
  }
}

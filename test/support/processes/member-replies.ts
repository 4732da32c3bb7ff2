import { z } from 'zod'
import { digestOf } from '../segments/naive-membership.js'
import type { ReplicaProcess } from './replica-process.js'

const page = z.object({
  data: z.object({
    items: z.array(z.object({ entity_id: z.string() })),
    members: z.number(),
    digest: z.string(),
    next_cursor: z.null(),
  }),
})

/** Compares the members that processes serve with the published members. */
export class MemberReplies {
  readonly faults: string[] = []
  /** The number of compared lists. */
  compared = 0

  /** Compares the members at this position. Returns undefined when they are equal, otherwise the difference. */
  async compare(
    replica: ReplicaProcess,
    position: number,
    published: ReadonlyMap<string, ReadonlySet<string>>,
  ): Promise<string | undefined> {
    const headers = { position: String(position) }
    for (const [key, members] of published) {
      const reply = await replica.ask(`/segments/${key}/members?limit=1000`, { headers })
      if (reply.position !== position) return `${replica.name} went on`
      const { data } = page.parse(reply.body)
      const ids = data.items.map(({ entity_id: id }) => id)
      const digest = digestOf(ids)
      if (data.members !== ids.length || data.digest !== digest)
        this.faults.push(`${key} at ${String(position)}: count or digest is not that of the list`)
      if (ids.length !== members.size || !ids.every((id) => members.has(id)))
        return `${key}: others are members than were published`
      this.compared += 1
    }
    return undefined
  }
}

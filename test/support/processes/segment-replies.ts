import { z } from 'zod'
import type { ReplicaProcess, Reply } from './replica-process.js'

const list = z.object({
  data: z.object({
    items: z.array(
      z.object({
        key: z.string(),
        version: z.number(),
        status: z.string(),
        serving_version: z.number().nullable(),
        members: z.number().nullable(),
        digest: z.string().nullable(),
      }),
    ),
  }),
})

export type SegmentReply = z.infer<typeof list>['data']['items'][number]

export interface SegmentsReply extends Pick<Reply, 'position' | 'logTime'> {
  readonly segments: readonly SegmentReply[]
}

interface Said {
  readonly text: string
  readonly by: Set<string>
}

/** What processes said of segments: those that know the same log say the same. */
export class SegmentReplies {
  readonly faults: string[] = []
  /** So many times two processes had the same `Position` and `Log-Time`, for each segment. */
  compared = 0
  private readonly said = new Map<string, Said>()

  /** Undefined: it does not answer, or does not know as much. */
  async ask(replica: ReplicaProcess, position: number): Promise<SegmentsReply | undefined> {
    const headers = { position: String(position) }
    const [asked] = await Promise.allSettled([replica.ask('/segments', { headers })])
    if (asked.status === 'rejected' || asked.value.status === 503) return undefined
    const { status, logTime, body, position: known } = asked.value
    const form = list.safeParse(body)
    if (status !== 200 || !form.success) {
      this.faults.push(`${replica.name}: ${String(status)} ${JSON.stringify(body)}`)
      return undefined
    }
    const reply = { position: known, logTime, segments: form.data.data.items }
    this.take(replica.name, reply)
    return reply
  }

  private take(name: string, { position, logTime, segments }: SegmentsReply): void {
    for (const { key, ...state } of segments) {
      // A process that is building may be further with it than another one.
      if (state.digest === null) continue
      if (state.status === 'diverged') this.faults.push(`${name}: ${key} diverged`)
      const place = `${key} at ${String(position)} and ${logTime}`
      const text = JSON.stringify(state)
      const said = this.said.get(place) ?? { text, by: new Set() }
      this.said.set(place, said)
      if (said.text !== text) this.faults.push(`${place}: ${said.text} and ${name}: ${text}`)
      if (!said.by.has(name)) this.compared += said.by.size
      said.by.add(name)
    }
  }
}

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

/** Compares the replies of processes about segments. Replies at one position and log time must be equal. */
export class SegmentReplies {
  readonly faults: string[] = []
  /** The number of comparisons: two processes answered with equal `Position` and `Log-Time`. */
  compared = 0
  private readonly said = new Map<string, Said>()

  /** Asks a process for its segments. Undefined when it does not answer, or has not reached the position. */
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
      // Skips segments that are being built, because the progress of processes differs.
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

import { setTimeout as pause } from 'node:timers/promises'
import { digestOf } from '../test/support/segments/naive-membership.js'
import type { Ledger, Readable } from './ledger.js'
import type { Random } from './random.js'
import { readMembers, type Members, type Read } from './segment-requests.js'
import { lastingSegmentsOf, type RunSegment } from './segment-rules.js'
import type { Target } from './target.js'

const readers = 2
const everyMs = 20

/** The status and code with which a read of members may be refused at any time. */
const refusals = new Set(['503 read_model_behind', '503 building', '503 shutting_down'])

/**
 * Reads members continuously, each at the highest acknowledged position of an entity. An answer must place the
 * entity by its acknowledged events. Its count and digest must match its list, and answers at one Position and
 * Log-Time must be equal.
 */
export class SegmentReaders {
  answered = 0
  /** The number of answers that had to contain the entity. */
  named = 0
  /** The number of answers that were compared with another answer at the same Position and Log-Time. */
  agreed = 0
  readonly refused = new Map<string, number>()
  private stopping = false
  private readonly seen = new Map<string, string>()
  private readonly loops: readonly Promise<void>[]

  constructor(
    private readonly target: Target,
    private readonly ledger: Ledger,
    private readonly segments: readonly RunSegment[],
    private readonly random: Random,
  ) {
    this.loops = Array.from({ length: readers }, () => this.read())
  }

  async stop(): Promise<void> {
    this.stopping = true
    await Promise.all(this.loops)
  }

  /**
   * Checks that count and digest match a complete list, and every other reply at the same Position and Log-Time.
   */
  checkSums({ key }: RunSegment, { data, position, logTime }: Answer): void {
    const { items, version, members, digest, next_cursor: next } = data
    if (next === null) {
      if (items.length !== members) this.ledger.remark(`the count of ${key} is not its list's`)
      const summed = digestOf(items.map(({ entity_id: id }) => id))
      if (summed !== digest) this.ledger.remark(`the digest of ${key} is not its list's`)
    }
    const place = `${key} ${String(position)} ${logTime}`
    const sums = `${String(version)} ${String(members)} ${digest}`
    const before = this.seen.get(place)
    this.seen.set(place, sums)
    if (before === undefined) return
    this.agreed += 1
    if (before !== sums) this.ledger.remark(`two replies differ at ${place}: ${before}, ${sums}`)
  }

  private async read(): Promise<void> {
    for (let turn = 0; !this.stopping; turn += 1) {
      const port = await this.target.ready()
      const wanted = this.ledger.someReadable(this.random)
      if (port === undefined) return
      if (wanted !== undefined) await this.ask(port, wanted, turn)
      await pause(everyMs)
    }
  }

  /** Sends each read twice at one time, because two replies at one Position are otherwise rare under load. */
  private async ask(port: number, wanted: Readable, turn: number): Promise<void> {
    const into = lastingSegmentsOf(this.segments, wanted.entity, wanted.serials)
    const segment = this.oneOf(turn % 2 === 0 ? into : this.segments)
    if (segment === undefined) return
    const asked = [1, 2].map(() => readMembers(port, segment.key, wanted.position))
    for (const reply of await Promise.allSettled(asked)) {
      // A read without a reply proves nothing.
      if (reply.status === 'fulfilled')
        this.judge(segment, wanted, into.includes(segment), reply.value)
    }
  }

  private judge(
    segment: RunSegment,
    { entity, position }: Readable,
    isIn: boolean,
    reply: Read<Members>,
  ): void {
    if ('refused' in reply) {
      this.refused.set(reply.refused, (this.refused.get(reply.refused) ?? 0) + 1)
      if (!refusals.has(reply.refused))
        this.ledger.remark(`a read of members was answered ${reply.refused}`)
      return
    }
    this.answered += 1
    if (reply.position < position) this.ledger.remark('members were of an older position')
    this.checkSums(segment, reply)
    if (!isIn || reply.data.next_cursor !== null) return
    this.named += 1
    if (!reply.data.items.some(({ external_id: id }) => id === entity))
      this.ledger.remark(`${segment.key} lacks whom an acknowledged event puts into it`)
  }

  private oneOf(segments: readonly RunSegment[]): RunSegment | undefined {
    return segments[this.random.between(0, segments.length - 1)]
  }
}

export type Answer = Exclude<Read<Members>, { readonly refused: string }>

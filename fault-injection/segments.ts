import { setTimeout as pause } from 'node:timers/promises'
import { readFact, type Kept } from './replies.js'
import { Random } from './random.js'
import type { Run } from './run.js'
import { byForm, type Context } from './scenario.js'
import { SegmentReaders, type Answer } from './segment-readers.js'
import { defineSegment, readMembers, readStatuses } from './segment-requests.js'
import {
  runSegments,
  fewSegments,
  isMember,
  viewOf,
  type RunSegment,
  type Recorded,
} from './segment-rules.js'

/**
 * The longest wait for live segments, in milliseconds. Generous, because only the result is tested and not the
 * speed.
 */
const maxWaitMs = 20_000
const againAfterMs = 100

/**
 * The segments of a run. They are defined at its beginning, read during the run, and compared with the facts at the
 * end.
 */
export class Segments {
  private readonly readers: SegmentReaders

  private constructor(
    private readonly run: Run,
    private readonly defined: readonly RunSegment[],
    random: Random,
  ) {
    this.readers = new SegmentReaders(run.target, run.ledger, defined, random)
  }

  /** Defines the segments and starts reading. */
  static async define(run: Run, context: Context): Promise<Segments> {
    const defined = byForm(context, {
      smoke: fewSegments,
      quick: runSegments,
      thorough: runSegments,
    })
    const port = await run.target.ready()
    for (const segment of defined) if (port !== undefined) await defineSegment(port, segment)
    return new Segments(run, defined, new Random(context.random.between(0, 4_294_967_295)))
  }

  /** Stops reading. */
  stop(): Promise<void> {
    return this.readers.stop()
  }

  /**
   * Starts another service and compares its members with the facts. Must be called when every service has ended.
   */
  async settle(): Promise<void> {
    const service = await this.run.start()
    // All facts stored so far have lower positions.
    const position = await this.run.createOne()
    const facts = await this.recorded()
    await this.untilLive(service.port, position)
    for (const segment of fewSegments) await this.compare(service.port, segment, position, facts)
    await this.run.stop(service)
    const { answered, named, agreed, refused } = this.readers
    const codes = [...refused].map(([code, count]) => `${String(count)} ${code}`).join(', ')
    this.run.notes.push(
      `${String(answered)} reads of members were answered: ${String(named)} had to name an entity, ${String(agreed)} were compared with one of the same Position and Log-Time; refused: ${codes || 'none'}`,
      `${String(this.defined.length)} segments; ${String(fewSegments.length)} compared with what is stored after a restart`,
    )
  }

  /** Returns the facts of each entity, without voided events. */
  private async recorded(): Promise<ReadonlyMap<string, readonly Recorded[]>> {
    const all: Kept[] = []
    for await (const fact of this.run.facts()) {
      const kept = readFact(fact)
      if (kept !== undefined) all.push(kept)
    }
    const voided = new Set(all.flatMap(({ fact, id }) => (fact === 'voided' ? [id] : [])))
    const found = new Map<string, Recorded[]>()
    for (const kept of all) {
      if (kept.fact === 'voided' || (kept.fact === 'recorded' && voided.has(kept.id))) continue
      const ofEntity = found.get(kept.entity) ?? []
      ofEntity.push(kept)
      found.set(kept.entity, ofEntity)
    }
    return found
  }

  private async untilLive(port: number, position: bigint): Promise<void> {
    const dueAt = performance.now() + maxWaitMs
    for (;;) {
      const statuses = await readStatuses(port, position)
      const others = this.defined.filter(({ key }) => statuses?.get(key) !== 'live')
      if (others.length === 0) return
      if (performance.now() > dueAt) {
        this.run.ledger.remark(`${String(others.length)} segments are not live after a restart`)
        return
      }
      await pause(againAfterMs)
    }
  }

  private async compare(
    port: number,
    segment: RunSegment,
    position: bigint,
    facts: ReadonlyMap<string, readonly Recorded[]>,
  ): Promise<void> {
    const { ledger } = this.run
    const pages = await this.pages(port, segment, position)
    const at = Date.parse(pages?.[0]?.logTime ?? '')
    if (pages === undefined) return
    const told = new Set(pages.flatMap(({ data }) => data.items.map((one) => one.external_id)))
    for (const [entity, recorded] of facts) {
      const isIn = isMember(segment, viewOf(entity, recorded), at)
      if (isIn !== told.has(entity))
        ledger.remark(`${segment.key} ${isIn ? 'lacks one' : 'has one too many'} after a restart`)
    }
  }

  /** Reads all pages of a list at one Position and Log-Time. Starts again when time passes between two pages. */
  private async pages(
    port: number,
    segment: RunSegment,
    position: bigint,
  ): Promise<readonly Answer[] | undefined> {
    const dueAt = performance.now() + maxWaitMs
    while (performance.now() < dueAt) {
      const pages: Answer[] = []
      for (let cursor: string | undefined; ;) {
        const page = await readMembers(port, segment.key, position, cursor)
        if ('refused' in page) break
        this.readers.checkSums(segment, page)
        pages.push(page)
        cursor = page.data.next_cursor ?? undefined
        if (cursor === undefined && pages.every((one) => isAsOf(one, page))) return pages
        if (cursor === undefined) break
      }
      await pause(againAfterMs)
    }
    this.run.ledger.remark(`no members of ${segment.key} after a restart`)
    return undefined
  }
}

function isAsOf(one: Answer, other: Answer): boolean {
  return one.position === other.position && one.logTime === other.logTime
}

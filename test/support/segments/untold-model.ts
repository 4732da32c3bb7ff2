import type {
  Answer,
  Queries,
  ReadStatus,
  SegmentsStatus,
  Want,
} from '../../../src/application/reading/ports/read-model.js'
import type { Untold } from '../../../src/application/reading/ports/segment-queries.js'
import type { WatchedReadModel } from '../../../src/application/reading/keep-segments.js'

const nothingToDo: SegmentsStatus = {
  nextDue: undefined,
  hasUntold: false,
  untoldFlips: 0,
  untoldSince: undefined,
  diverged: 0,
}

/** What a `SegmentKeeper` sees of a read model, as the test says it is. */
export class UntoldModel implements WatchedReadModel {
  status: ReadStatus
  untold: Untold = { streams: [], clockRevision: -1 }
  readonly asked: { name: 'untold'; query: Queries['untold']['ask']; want: Want }[] = []
  /** Called when it is asked, before it answers. */
  whenAsked: () => void = () => undefined
  private readonly listeners = new Set<() => void>()

  constructor(status: Partial<ReadStatus>) {
    this.status = {
      applied: { position: 1, id: 'x' },
      reached: 1,
      newest: 1,
      isBuilding: false,
      fullProfiles: [],
      logTime: 0,
      builds: 0,
      segments: nothingToDo,
      trouble: undefined,
      ...status,
    }
  }

  become(
    { logTime = this.status.logTime, ...segments }: Partial<SegmentsStatus & { logTime: number }>,
    untold: Partial<Untold> = {},
  ): void {
    const before = this.status.segments ?? nothingToDo
    this.status = { ...this.status, logTime, segments: { ...before, ...segments } }
    this.untold = { ...this.untold, ...untold }
    for (const listener of this.listeners) listener()
  }

  get watchers(): number {
    return this.listeners.size
  }

  watch(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  async ask(name: 'untold', query: Queries['untold']['ask'], want: Want): Promise<Answer<Untold>> {
    this.asked.push({ name, query, want })
    this.whenAsked()
    const { applied, logTime } = this.status
    await Promise.resolve()
    return { value: this.untold, position: applied.position, logTime }
  }
}

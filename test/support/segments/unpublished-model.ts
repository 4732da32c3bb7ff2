import type {
  Answer,
  ReadStatus,
  SegmentsStatus,
  Want,
  QueryOf,
} from '../../../src/application/reading/ports/read-model.js'
import type { Unpublished } from '../../../src/application/segments/ports/segment-queries.js'
import type { WatchedReadModel } from '../../../src/application/segments/publish-segments.js'

const nothingToDo: SegmentsStatus = {
  nextDue: undefined,
  hasUnpublished: false,
  figures: {},
}

/** The part of a read model that a `SegmentPublisher` uses, controlled by a test. */
export class UnpublishedModel implements WatchedReadModel {
  status: ReadStatus
  unpublished: Unpublished = { streams: [], clockRevision: -1 }
  readonly asked: { name: 'unpublished'; query: QueryOf<'unpublished'>; want: Want }[] = []
  /** Called when the model is queried, before it answers. */
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
    unpublished: Partial<Unpublished> = {},
  ): void {
    const before = this.status.segments ?? nothingToDo
    this.status = { ...this.status, logTime, segments: { ...before, ...segments } }
    this.unpublished = { ...this.unpublished, ...unpublished }
    for (const listener of this.listeners) listener()
  }

  get watchers(): number {
    return this.listeners.size
  }

  watch(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  async query(
    name: 'unpublished',
    query: QueryOf<'unpublished'>,
    want: Want,
  ): Promise<Answer<Unpublished>> {
    this.asked.push({ name, query, want })
    this.whenAsked()
    const { applied, logTime } = this.status
    await Promise.resolve()
    return { value: this.unpublished, position: applied.position, logTime }
  }
}

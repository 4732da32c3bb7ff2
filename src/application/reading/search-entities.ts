import { Cancellation, nobodyWaits } from '../ports/cancellation.js'
import { isRefused, Refusal, refusedAnswers } from '../ports/refusal.js'
import { Semaphore, type Release } from '../semaphore.js'
import type { Answer, ReadModel, SearchHit, SearchPart, SearchQuery } from './ports/read-model.js'
import type { SearchObserver, SearchOutcome } from './ports/search-observer.js'
import type { ReadWant } from './want.js'

export type SearchRequest = Pick<
  SearchQuery,
  'pointer' | 'text' | 'event' | 'withVoided' | 'properties'
>

/** The maximum number of searches at once per process and per caller, and the limits of one search. */
const maxSearches = 2
const maxOfCaller = 1
const maxMs = 10_000
const maxEntities = 100_000
const maxHits = 100
/** The approximate limit of the bytes of all hits of a search. */
const maxBytes = 4_194_304

export interface SearchHits {
  readonly kind: 'hits'
  readonly items: readonly SearchHit[]
}

interface SearchFigures {
  /** The number of all entities. */
  readonly entities: number
  /** The number of searched entities. 0 if only an index was read. */
  readonly lookedAt: number
  /** The number of hits so far. */
  readonly hits: number
}

export interface SearchProgress extends SearchFigures {
  readonly kind: 'progress'
}

export interface SearchResult extends SearchFigures {
  readonly kind: 'result'
  readonly isIndexed: boolean
  /** False if the search ended at a limit. More entities may match then. */
  readonly isComplete: boolean
}

export type SearchStep = SearchHits | SearchProgress | SearchResult

interface SearchClock {
  readonly now: () => number
  /** Calls `work` after some milliseconds. Returns a function that stops the timer. */
  readonly after: (milliseconds: number, work: () => void) => () => void
}

const systemClock: SearchClock = {
  now: () => performance.now(),
  after: (milliseconds, work) => {
    const timer = setTimeout(work, milliseconds).unref()
    return () => {
      clearTimeout(timer)
    }
  },
}

/** Runs searches of entities. Only a few run at a time, and only one for each caller. */
export class EntitySearcher {
  private readonly semaphore = new Semaphore({ most: maxSearches, mostOfOne: maxOfCaller })

  constructor(
    private readonly readModel: Pick<ReadModel, 'query'>,
    private readonly observer: SearchObserver,
    private readonly clock = systemClock,
  ) {}

  /**
   * Starts a search. Throws `search_under_way`, and the errors of reading. The search ends by itself, even when
   * its steps are not read.
   */
  async begin(request: SearchRequest, want: ReadWant): Promise<EntitySearch> {
    const release = this.semaphore.tryTake(want.caller ?? '', 1)
    if (release === undefined) throw new Refusal('search_under_way')
    const { observer, clock } = this
    try {
      return await EntitySearch.begin(request, this.readModel, want, { release, observer, clock })
    } catch (error) {
      release()
      throw want.cancellation?.isCancelled === true ? nobodyWaits() : error
    }
  }
}

interface SearchParts {
  readonly release: Release
  readonly observer: SearchObserver
  readonly clock: SearchClock
}

/**
 * One search. Its hits stay in memory until the caller takes them. It has at most `maxHits` hits, of about
 * `maxBytes` in total.
 */
export class EntitySearch {
  private readonly cancellation = new Cancellation()
  private hits: SearchHit[] = []
  private progress: SearchProgress | undefined
  private result: SearchResult | undefined
  private failure: { readonly error: unknown } | undefined
  private wake: () => void = () => undefined
  private count = 0
  private bytes = 0
  private last: SearchPart
  readonly position: number
  /** The log time of the search's first part, in milliseconds since 1970. */
  readonly logTime: number
  private isOutOfTime = false
  private isCancelled = false

  private constructor(
    private readonly request: SearchRequest,
    private readonly readModel: Pick<ReadModel, 'query'>,
    first: Answer<SearchPart>,
    { release, observer, clock }: SearchParts,
    leftMs: number,
  ) {
    this.position = first.position
    this.logTime = first.logTime
    this.last = first.value
    const stopTimer = clock.after(leftMs, () => {
      this.isOutOfTime = true
      this.cancellation.cancel()
    })
    void this.run().finally(() => {
      stopTimer()
      release()
      observer.ended(this.outcome)
    })
  }

  static async begin(
    request: SearchRequest,
    readModel: Pick<ReadModel, 'query'>,
    { position, waitMs, cancellation }: ReadWant,
    parts: SearchParts,
  ): Promise<EntitySearch> {
    const begun = parts.clock.now()
    const query = { ...request, limit: maxHits, bytes: maxBytes }
    const want = { position, waitMs, answerMs: maxMs, cancellation }
    const first = await readModel.query('searchEntities', query, want)
    const leftMs = Math.max(0, maxMs - (parts.clock.now() - begun))
    return new EntitySearch(request, readModel, first, parts, leftMs)
  }

  /** Ends the search. The caller must not read steps after this call. */
  cancel(): void {
    this.isCancelled = true
    this.failure ??= { error: nobodyWaits() }
    this.cancellation.cancel()
    this.wake()
  }

  /**
   * Yields hits and progress, and finally the result. A slow caller misses some steps with progress. Throws the
   * errors of reading, and `overloaded` after `cancel`.
   */
  async *steps(): AsyncGenerator<SearchStep> {
    for (;;) {
      const step = await this.nextStep()
      yield step
      if (step.kind === 'result') return
    }
  }

  private async nextStep(): Promise<SearchStep> {
    for (;;) {
      const { hits, progress, result, failure } = this
      if (failure !== undefined) throw failure.error
      if (hits.length > 0) {
        this.hits = []
        return { kind: 'hits', items: hits }
      }
      if (result !== undefined) return result
      this.progress = undefined
      if (progress !== undefined) return progress
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
  }

  private async run(): Promise<void> {
    try {
      this.take(this.last)
      while (!this.isOver) {
        this.take(await this.nextPart())
        this.wake()
      }
      this.end(this.last.next === undefined)
    } catch (error) {
      // The time limit of the search cancels its query. The search then ends with the hits so far, and not with a
      // failure.
      if (this.isOutOfTime && isRefused(error, ...refusedAnswers)) this.end(false)
      else this.failure ??= { error }
    }
    this.wake()
  }

  private get outcome(): SearchOutcome {
    if (this.isCancelled) return 'cancelled'
    if (this.failure !== undefined) return 'failed'
    if (this.result?.isComplete === true) return 'complete'
    return this.isOutOfTime ? 'timeout' : 'limit'
  }

  private get isOver(): boolean {
    const { last, count, bytes } = this
    if (this.isOutOfTime || last.next === undefined) return true
    return last.done >= maxEntities || count >= maxHits || bytes >= maxBytes
  }

  private async nextPart(): Promise<SearchPart> {
    const { request, count, bytes, cancellation } = this
    const query = {
      ...request,
      after: this.last.next,
      limit: maxHits - count,
      bytes: maxBytes - bytes,
    }
    const want = { waitMs: 0, answerMs: maxMs, cancellation }
    return (await this.readModel.query('searchEntities', query, want)).value
  }

  private take(part: SearchPart): void {
    this.last = part
    this.count += part.items.length
    for (const { properties } of part.items) this.bytes += Buffer.byteLength(properties.text)
    this.hits.push(...part.items)
    this.progress = { kind: 'progress', ...this.figures }
  }

  private end(isComplete: boolean): void {
    this.result = {
      kind: 'result',
      ...this.figures,
      isIndexed: this.last.isIndexed,
      isComplete,
    }
  }

  private get figures(): SearchFigures {
    const { entities, done } = this.last
    return { entities: Math.max(entities, done), lookedAt: done, hits: this.count }
  }
}

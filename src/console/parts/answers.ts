import { DossierError } from '../../client/dossier.js'
import { waitAfter } from './times.js'

export interface Answer<T> {
  /** The latest answer. The value is kept during the next request, and after a failure. */
  readonly value: T | undefined
  readonly error: DossierError | undefined
  /** When the value arrived, in milliseconds since 1970. */
  readonly at: number
}

type Ask<T> = (signal: AbortSignal) => Promise<T>

/** The interval between the retries of a failed request, in milliseconds. */
const retryMs = 2_000
/** The time for which an answer is reused while no component shows it, in milliseconds. */
const reusedMs = 30_000
/** The maximum number of answers that are kept while no component shows them. */
const unwatchedAtMost = 30

/** The maximum size of an answer that is kept while no component shows it, in characters of JSON. */
const charactersAtMost = 200_000

function sizeOf(value: unknown): number {
  return value === undefined ? 0 : JSON.stringify(value).length
}

const nothing: Answer<never> = { value: undefined, error: undefined, at: 0 }

/** The statuses of a reply that the same question gets again: the question is wrong, or the key may not ask it. */
const finalStatuses: readonly unknown[] = [400, 403, 422]

/** One question of the page. All components that show its answer share one request. */
class Question {
  answer: Answer<unknown> = nothing
  /** When the last request ended, in milliseconds since 1970. */
  private at = 0
  readonly watchers = new Map<() => void, number>()
  private controller: AbortController | undefined
  /** The pause before the next request. Undefined when no request is planned. */
  private waitMs: number | undefined
  private isBusy = false
  private timer: ReturnType<typeof setTimeout> | undefined
  ask: Ask<unknown>

  constructor(
    ask: Ask<unknown>,
    private readonly onRefused: () => void,
    private readonly isHidden: () => boolean,
  ) {
    this.ask = ask
  }

  async run(): Promise<void> {
    this.stop()
    this.isBusy = true
    const controller = new AbortController()
    this.controller = controller
    let nextMs = 0
    try {
      const value = await this.ask(controller.signal)
      if (controller.signal.aborted) return
      const everyMs = this.everyMs()
      if (everyMs > 0) nextMs = waitAfter(value, everyMs)
      this.take({ value, error: undefined, at: Date.now() })
    } catch (error) {
      if (controller.signal.aborted) return
      if (!(error instanceof DossierError)) throw error
      if (error.status === 401) this.onRefused()
      this.take({ ...this.answer, error })
      if (error.isPassing) nextMs = retryMs
      else if (!finalStatuses.includes(error.status)) nextMs = this.everyMs()
    }
    this.isBusy = false
    if (nextMs > 0) this.runLater(nextMs)
  }

  stop(): void {
    clearTimeout(this.timer)
    this.waitMs = undefined
    this.isBusy = false
    this.controller?.abort(new Error('nobody shows this any more'))
  }

  /** Returns the shortest interval of all watchers. 0 means that the question is asked once. */
  private everyMs(): number {
    const wanted = [...this.watchers.values()].filter((ms) => ms > 0)
    return wanted.length === 0 ? 0 : Math.min(...wanted)
  }

  private take(answer: Answer<unknown>): void {
    this.answer = answer
    this.at = Date.now()
    for (const changed of this.watchers.keys()) changed()
  }

  /**
   * Asks earlier than planned, when a new watcher wants that: at once if the answer is older than `ms`. Does nothing
   * while a request is under way.
   */
  hurry(ms: number): void {
    if (ms === 0 || this.isBusy || (this.waitMs !== undefined && this.waitMs <= ms)) return
    clearTimeout(this.timer)
    const ageMs = Date.now() - this.at
    if (ageMs >= ms) void this.run()
    else this.runLater(ms)
  }

  /** Forgets an answer that is too old to be shown again. */
  forgetOld(): void {
    if (Date.now() - this.at > reusedMs) this.answer = nothing
  }

  /** Lets the next watcher begin without an answer. */
  outdate(): void {
    this.at = 0
  }

  private runLater(ms: number): void {
    this.waitMs = ms
    this.timer = setTimeout(() => {
      if (this.isHidden()) this.runLater(ms)
      else void this.run()
    }, ms)
  }
}

/** The answers that the page shows, by question. Each question is asked once for all components. */
export class Answers {
  private readonly questions = new Map<string, Question>()

  /** Calls `onRefused` when the key is no longer valid. `isHidden` returns whether the page is invisible. */
  constructor(
    private readonly onRefused: () => void,
    private readonly isHidden: () => boolean,
  ) {}

  read(key: string): Answer<unknown> {
    return this.questions.get(key)?.answer ?? nothing
  }

  /**
   * Asks now, and then every `everyMs` milliseconds while the page is visible. With `everyMs` = 0, asks once. Calls
   * `changed` with each answer. Returns a function that stops the requests.
   */
  watch(key: string, ask: Ask<unknown>, everyMs: number, changed: () => void): () => void {
    const question = this.questions.get(key) ?? new Question(ask, this.onRefused, this.isHidden)
    // Moves the key to the end of the map. So the first keys are those that were watched longest ago.
    this.questions.delete(key)
    this.questions.set(key, question)
    const isFirst = question.watchers.size === 0
    if (isFirst) question.forgetOld()
    question.ask = ask
    question.watchers.set(changed, everyMs)
    if (isFirst) void question.run()
    else question.hurry(everyMs)
    return () => {
      question.watchers.delete(changed)
      if (question.watchers.size > 0) return
      question.stop()
      if (sizeOf(question.answer.value) > charactersAtMost) this.questions.delete(key)
      this.dropOldest()
    }
  }

  /** Repeats all questions whose answers are visible. Call it after each write. */
  refresh(): void {
    for (const question of this.questions.values()) {
      if (question.watchers.size > 0) void question.run()
      else question.outdate()
    }
  }

  private dropOldest(): void {
    const unwatched = [...this.questions].filter(([, { watchers }]) => watchers.size === 0)
    for (const [key] of unwatched.slice(0, -unwatchedAtMost)) this.questions.delete(key)
  }
}

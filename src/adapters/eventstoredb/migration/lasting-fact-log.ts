import type {
  FactLog,
  LoggedFact,
  LogHead,
  LogPage,
} from '../../../application/facts/ports/fact-log.js'
import { retried, Retries } from './retries.js'

/** A fact log that resumes after interruptions. Fails only when no page has arrived for `retryForMs`. */
export class LastingFactLog implements FactLog {
  constructor(
    private readonly log: FactLog,
    private readonly retryForMs: number,
  ) {}

  async *follow(after: number, signal: AbortSignal): AsyncGenerator<LogPage, void> {
    const retries = new Retries(this.retryForMs)
    for (let last = after; !signal.aborted;) {
      try {
        for await (const page of this.log.follow(last, signal)) {
          last = page.reached
          yield page
          retries.progressed()
        }
      } catch (error) {
        await retries.pause(error)
      }
    }
  }

  head(): Promise<LogHead> {
    return retried(this.retryForMs, () => this.log.head())
  }

  at(position: number): Promise<LoggedFact | undefined> {
    return retried(this.retryForMs, () => this.log.at(position))
  }

  close(): Promise<void> {
    return this.log.close()
  }
}

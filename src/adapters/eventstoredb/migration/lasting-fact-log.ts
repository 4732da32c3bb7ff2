import type {
  FactLog,
  LoggedFact,
  LogHead,
  LogPage,
} from '../../../application/facts/ports/fact-log.js'
import { assertJson } from '../log/logged-fact.js'
import { retried, Retries } from './retries.js'

/**
 * A log that is followed again where it breaks off, for a time without a page. Nobody
 * parses a fact that is copied: that its text is JSON is looked at here.
 */
export class LastingFactLog implements FactLog {
  constructor(
    private readonly log: FactLog,
    private readonly retryForMs: number,
    /** Facts that nobody is to get any more. */
    private readonly isLeftOut: (fact: LoggedFact) => boolean,
  ) {}

  async *follow(after: number, signal: AbortSignal): AsyncGenerator<LogPage, void> {
    const retries = new Retries(this.retryForMs)
    for (let last = after; !signal.aborted;) {
      try {
        for await (const page of this.log.follow(last, signal)) {
          page.facts.forEach(assertJson)
          last = page.reached
          yield { ...page, facts: page.facts.filter((fact) => !this.isLeftOut(fact)) }
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

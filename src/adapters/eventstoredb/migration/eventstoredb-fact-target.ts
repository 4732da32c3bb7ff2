import { CopyRefused } from '../../../application/migration/ports/copy-refused.js'
import type { StoredFact } from '../../../application/facts/stored-fact.js'
import type { Survey } from '../../../application/migration/ports/fact-source.js'
import type { FactRun, FactTarget } from '../../../application/migration/ports/fact-target.js'
import type { Answer } from '../client/answer.js'
import { assertCarried } from './carried-fact.js'
import { Connection } from '../append/connection.js'
import { EventStoreDbFactSource } from './eventstoredb-fact-source.js'
import type { PageOptions } from './fact-pages.js'
import { retryWithBackoff } from './retry-with-backoff.js'

/**
 * Facts go to an exact revision under their own ids: the store knows such an append again and keeps
 * one, whoever repeats it, at any time. So an unknown outcome is resolved by the same append again.
 */
export class EventStoreDbFactTarget implements FactTarget {
  private constructor(
    private readonly kept: EventStoreDbFactSource,
    private readonly connection: Connection,
    private readonly options: PageOptions,
  ) {}

  /** Throws `StoreNotOpened` when the server does not answer. */
  static async open(options: PageOptions): Promise<EventStoreDbFactTarget> {
    const kept = await EventStoreDbFactSource.open(options)
    return new EventStoreDbFactTarget(kept, new Connection(options.url), options)
  }

  survey(): Promise<Survey> {
    return this.kept.survey()
  }

  streams(): AsyncIterable<string> {
    return this.kept.streams()
  }

  facts(stream: string, from: number): AsyncIterable<readonly StoredFact[]> {
    return this.kept.facts(stream, from)
  }

  async length(stream: string): Promise<number> {
    const { retryForMs, timeoutMs } = this.options
    const found = await retryWithBackoff(retryForMs, () =>
      this.connection.read(stream, { from: 'end', maxCount: 1 }, timeoutMs),
    )
    const head = found?.at(0)
    return head === undefined ? 0 : Number(head.revision) + 1
  }

  async append(stream: string, firstRevision: number, runs: readonly FactRun[]): Promise<void> {
    const facts = runs.flatMap((run) => run.facts)
    for (const fact of facts) assertCarried(stream, fact)
    const { retryForMs, timeoutMs } = this.options
    const expected = firstRevision === 0 ? 'no_stream' : BigInt(firstRevision - 1)
    const revision = await retryWithBackoff(retryForMs, async () =>
      revisionIn(await this.connection.append(stream, expected, facts, timeoutMs), stream),
    )
    if (revision !== BigInt(firstRevision + facts.length - 1)) throw moved(stream)
  }

  async close(): Promise<void> {
    await this.kept.close()
    await this.connection.close()
  }
}

/** Throws `CopyRefused` for what will not change, and an `Error` for what is to be tried again. */
function revisionIn(answer: Answer, stream: string): bigint {
  switch (answer.kind) {
    case 'stored':
      return answer.revision
    case 'wrong':
    case 'deleted':
      throw moved(stream)
    case 'too_large':
      throw new CopyRefused(
        `stream ${JSON.stringify(stream)} has an append that is too large for the target`,
      )
    case 'refused':
    case 'unknown':
      throw new Error(answer.reason)
  }
}

function moved(stream: string): CopyRefused {
  return new CopyRefused(
    `stream ${JSON.stringify(stream)} of the target is not as it was read: somebody writes to it, or ` +
      'it was removed there. Stop the service on the target, or take an empty one, and run again.',
  )
}

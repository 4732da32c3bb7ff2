import type { Calls } from '../../client/calls.js'
import { DossierError, type FactType, type FollowedFact } from '../../client/dossier.js'

export interface Filter {
  /** The type of the facts, or empty for all types. */
  readonly type: string
  /** The id of the person, or empty for all people. */
  readonly person: string
}

/** Receives facts. */
export interface FactSink {
  /** The cursor from which to continue. Undefined before the first fact. */
  readonly at: string | undefined
  readonly take: (fact: FollowedFact) => void
  readonly moved: (cursor: string) => void
  readonly became: (state: 'live' | 'broken') => void
}

/** The distance between the newest fact and the point at which the first connection begins, in positions. */
const lookBack = 50n

/** Follows the facts until the signal is aborted. Throws the same errors as `Facts`. */
export async function followFacts(
  client: Calls,
  filter: Filter,
  sink: FactSink,
  signal: AbortSignal,
): Promise<void> {
  if (sink.at !== undefined) {
    await followFrom(sink.at, client, filter, sink, signal)
    return
  }
  const { head } = await client.service.status({ signal })
  const back = BigInt(head ?? '0') - lookBack
  try {
    await followFrom(back > 0n ? String(back) : 'start', client, filter, sink, signal)
  } catch (error) {
    // EventStoreDB does not count positions one by one, so there may be no fact at this position.
    if (!(error instanceof DossierError) || error.code !== 'position_unknown') throw error
    await followFrom('now', client, filter, sink, signal)
  }
}

async function followFrom(
  after: string,
  client: Calls,
  { type, person }: Filter,
  sink: FactSink,
  signal: AbortSignal,
): Promise<void> {
  const facts = client.facts({
    after,
    ...(type === '' ? {} : { types: [type as FactType] }),
    ...(person === '' ? {} : { entity: person }),
    signal,
    onLive: () => {
      sink.became('live')
    },
    onCursor: sink.moved,
    onBreak: () => {
      sink.became('broken')
    },
  })
  for await (const fact of facts) {
    sink.moved(fact.cursor)
    sink.take(fact)
  }
}

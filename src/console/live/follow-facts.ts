import type { Calls } from '../../client/calls.js'
import { DossierError, type FactType, type FollowedFact } from '../../client/dossier.js'

export interface Filter {
  /** Empty: all. */
  readonly type: string
  /** The id; empty: all. */
  readonly person: string
}

/** Receives facts. */
export interface FactSink {
  /** The cursor from which to continue; undefined: nothing was shown yet. */
  readonly at: string | undefined
  readonly take: (fact: FollowedFact) => void
  readonly moved: (cursor: string) => void
  readonly became: (state: 'live' | 'broken') => void
}

/** How many positions before the newest fact the first connection begins. */
const lookBack = 50n

/** Follows the facts for ever. Throws what `Facts` throws. */
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

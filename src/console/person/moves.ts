import type { Calls } from '../../client/calls.js'
import { DossierError, type Explanation, type PastQuery } from '../../client/dossier.js'

/** An entry of a person into a segment, or an exit. */
export interface Move {
  readonly kind: 'entered' | 'left'
  readonly at: string
  readonly segment: string
  readonly cause: Explanation['periods'][number]['entered']['cause']
}

/** The maximum number of segments whose entries and exits a page shows. Each segment needs its own request. */
export const segmentsAtMost = 50
const requestsAtOnce = 4

/** Returns the entries and exits of a person, segment by segment. Omits segments whose members are not known yet. */
export async function movesOf(
  client: Calls,
  id: string,
  segments: readonly string[],
  past: PastQuery,
  signal: AbortSignal,
): Promise<readonly Move[]> {
  const moves: Move[] = []
  for (let at = 0; at < segments.length; at += requestsAtOnce) {
    const some = segments.slice(at, at + requestsAtOnce)
    const explained = await Promise.all(
      some.map((segment) =>
        client.segments.explain(segment, id, past, { signal }).catch(skipUnknown),
      ),
    )
    moves.push(...explained.flatMap((one) => (one === undefined ? [] : movesIn(one))))
  }
  return moves
}

function movesIn({ segment, periods }: Explanation): readonly Move[] {
  return periods.flatMap(({ entered, left }): readonly Move[] => [
    { kind: 'entered', segment, ...entered },
    ...(left === null ? [] : [{ kind: 'left', segment, ...left } as const]),
  ])
}

/**
 * Ignores a segment that is being backfilled, or that was retired since the page listed it: it has no known entries and
 * exits.
 */
function skipUnknown(error: unknown): undefined {
  const codes: readonly string[] = ['building', 'segment_not_found']
  if (!(error instanceof DossierError) || !codes.includes(error.code)) throw error
}

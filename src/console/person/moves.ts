import type { Calls } from '../../client/calls.js'
import { DossierError, type Explanation, type PastQuery } from '../../client/dossier.js'

/** A person entered a segment or left it. */
export interface Move {
  readonly kind: 'entered' | 'left'
  readonly at: string
  readonly segment: string
  readonly cause: Explanation['periods'][number]['entered']['cause']
}

/** The segments whose enters and leaves a page shows: each is a request of its own. */
export const segmentsAtMost = 50
const requestsAtOnce = 4

/** The enters and leaves of a person, segment after segment. Leaves out segments whose members are not known yet. */
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

/** A segment that is being counted, or was retired since the page listed it, has no enters and leaves to show. */
function skipUnknown(error: unknown): undefined {
  const codes: readonly string[] = ['building', 'segment_not_found']
  if (!(error instanceof DossierError) || !codes.includes(error.code)) throw error
}

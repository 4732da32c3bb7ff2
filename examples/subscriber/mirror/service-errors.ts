import { z } from 'zod'
import { Passing } from './retrying.js'

/** The service does not know a position that the mirror holds. */
export class PositionUnknown extends Error {
  readonly code = 'position_unknown'
  override readonly name = 'PositionUnknown'
}

/** There is no such segment, or none any more. */
export class SegmentMissing extends Error {
  readonly code = 'segment_not_found'
  override readonly name = 'SegmentMissing'
}

/** The service refuses for good, or the answer is none of Dossier's. */
export class ServiceRefused extends Error {
  readonly code = 'service_refused'
  override readonly name = 'ServiceRefused'
}

const fault = z.object({ error: z.object({ code: z.string() }) })

/** 4xx that pass: the request came too slowly, or too many came. */
const passing = new Set([408, 429])

/** What a reply that is no success is to its caller. */
export function errorOf(reply: Response, body: unknown): Error {
  const { status } = reply
  const code = fault.safeParse(body).data?.error.code ?? 'no code of Dossier'
  const text = `${String(status)} ${code}`
  if (status >= 500 || passing.has(status)) return new Passing(text, askedMs(reply))
  if (status === 412)
    return new PositionUnknown(
      'the service does not know the position that the mirror has reached: its store was restored or ' +
        'replaced. Check --service; if it is right, delete the database and start again',
    )
  if (code === 'segment_not_found') return new SegmentMissing('there is no such segment')
  if (status === 401 || status === 403)
    return new ServiceRefused(`the service refuses the key (${text}): it needs the scope read`)
  return new ServiceRefused(`the service refused a request (${text}): is it Dossier?`)
}

function askedMs({ headers }: Response): number {
  const seconds = headers.get('retry-after') ?? ''
  return /^[0-9]{1,5}$/.test(seconds) ? Number(seconds) * 1_000 : 0
}

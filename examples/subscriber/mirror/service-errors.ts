import { DossierError } from 'dossier/client'

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

/** What failed may work in a moment: the service is away, is behind, or builds. */
export function isPassing(error: unknown): error is DossierError {
  return error instanceof DossierError && error.isPassing
}

/** The status with the code, as far as there was a reply. */
export function reasonOf({ status, code, message }: DossierError): string {
  return status === undefined ? message : `${String(status)} ${code}`
}

/** What an error of the client is to whoever runs the mirror; others, and those that pass, as they are. */
export function errorOf(error: unknown): unknown {
  if (!(error instanceof DossierError) || error.isPassing) return error
  const { status, code } = error
  const text = reasonOf(error)
  const options = { cause: error }
  if (code === 'position_unknown')
    return new PositionUnknown(
      'the service does not know the position that the mirror has reached: its store was restored or ' +
        'replaced. Check --service; if it is right, delete the database and start again',
      options,
    )
  if (code === 'segment_not_found') return new SegmentMissing('there is no such segment', options)
  if (status === 401 || status === 403)
    return new ServiceRefused(
      `the service refuses the key (${text}): it needs the scope read`,
      options,
    )
  return new ServiceRefused(`the service refused a request (${text}): is it Dossier?`, options)
}

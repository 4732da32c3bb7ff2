import type { MembershipChange } from '../../client/dossier.js'

const causes = new Map(
  Object.entries({
    event: 'an event',
    properties: 'a change of properties',
    created: 'they were created',
    hand: 'by hand',
    voided: 'a voided event',
    segment: 'another segment',
    time: 'the passing of time',
    definition: 'the rule was defined',
    erased: 'they were erased',
  }),
)

/**
 * Returns the cause of an entry or exit in words. Returns an unknown cause unchanged, because the service may add
 * causes.
 */
export function causeWords({ kind }: MembershipChange['cause']): string {
  return causes.get(kind) ?? kind
}

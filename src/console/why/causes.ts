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

/** What made somebody enter or leave, in words. New causes may be added: they are shown as they are called. */
export function causeWords({ kind }: MembershipChange['cause']): string {
  return causes.get(kind) ?? kind
}

import { refusedAnswers, unlessRefused } from '../ports/refusal.js'
import { didYouMean } from '../../domain/near-miss.js'
import { typesOf, type FactFilter } from '../../domain/webhooks/fact-filter.js'
import { factsWithNames } from './ports/webhook-queries.js'
import { caller, queryMs, type WebhookParts } from './webhook-parts.js'

/**
 * Returns hints about names in the filter that the service does not know. A webhook may name an event or a segment
 * that comes later, so an unknown name is not refused.
 */
export async function hintsFor(
  { model }: Pick<WebhookParts, 'model'>,
  filter: FactFilter,
): Promise<readonly string[]> {
  const hints = contradictions(filter)
  if (model === undefined) return hints
  const { events, segments } = filter
  const want = { waitMs: 0, answerMs: queryMs, caller }
  const names =
    events && (await unlessRefused(model.query('latestEventNames', {}, want), ...refusedAnswers))
  const known =
    segments && (await unlessRefused(model.query('segments', {}, want), ...refusedAnswers))
  return [
    ...hints,
    ...unknownIn(events, names?.value, `event among the latest ${String(factsWithNames)} facts`),
    ...unknownIn(
      segments,
      known?.value.map(({ key }) => key),
      'segment',
    ),
  ]
}

function contradictions(filter: FactFilter): readonly string[] {
  if (typesOf(filter)?.length !== 0) return []
  return [
    'Nothing matches: `events` selects facts of the types EventRecorded and EventVoided, which `types` leaves out.',
  ]
}

function unknownIn(
  named: readonly string[] | undefined,
  known: readonly string[] | undefined,
  what: string,
): readonly string[] {
  if (named === undefined || known === undefined) return []
  return named
    .filter((name) => !known.includes(name))
    .map((name) => `No ${what} is called "${name}".${didYouMean(name, known)}`)
}

import { refusedAnswers, unlessRefused } from '../ports/refusal.js'
import { nearMissOf } from '../../domain/near-miss.js'
import { typesOf, type FactFilter } from '../../domain/webhooks/fact-filter.js'
import { factsWithNames } from './ports/webhook-queries.js'
import { caller, queryMs, type WebhookParts } from './webhook-parts.js'

/**
 * Returns hints about names in the filter that the service does not know. An unknown name is not refused,
 * because the event or the segment may come later.
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
    ...unknownIn(events, names?.value, {
      what: `event among the latest ${String(factsWithNames)} facts`,
      others: 'The most frequent names',
    }),
    ...unknownIn(
      segments,
      known?.value.map(({ key }) => key),
      { what: 'segment', others: 'The first segments' },
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
  { what, others }: { readonly what: string; readonly others: string },
): readonly string[] {
  if (named === undefined || known === undefined) return []
  return named
    .filter((name) => !known.includes(name))
    .map((name) => `No ${what} is called "${name}".${suggestion(name, known, others)}`)
}

/** The maximum number of names in a hint. */
const maxListed = 5

/** Returns the known name that resembles the misspelled name. If there is none, returns the first known names. */
function suggestion(name: string, known: readonly string[], others: string): string {
  const near = nearMissOf(name, known)
  if (near !== undefined) return ` Did you mean "${near}"?`
  if (known.length === 0) return ''
  const listed = known.slice(0, maxListed).map((one) => `"${one}"`)
  return ` ${others}: ${listed.join(', ')}.`
}

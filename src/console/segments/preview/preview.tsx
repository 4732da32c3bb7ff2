import type { JSX } from 'preact'
import type { PreviewRequest } from '../../../client/dossier.js'
import { Card } from '../../parts/card.js'
import { areAllPlaced } from '../../parts/faults.js'
import { counted, shownNumber } from '../../parts/numbers.js'
import { Trouble } from '../../parts/trouble.js'
import type { Draft } from '../draft/draft.js'
import { Estimated } from './estimated.js'
import { Figures } from './figures.js'
import { Ranking } from './ranking.js'
import { UnseenEvents } from './unseen-events.js'
import type { Previewed } from './use-preview.js'
import { WholeList } from './whole-list.js'

interface Props {
  /** The request of the preview. Undefined while there is no rule. */
  readonly request: PreviewRequest | undefined
  readonly previewed: Previewed
  readonly draft: Draft
  readonly change: (changes: Partial<Draft>) => void
}

/** A preview of the people who would match a rule, before the rule is saved. */
export function Preview({ request, previewed, draft, change }: Props): JSX.Element {
  const { state, estimate, result, error } = previewed
  const isOld = state !== 'exact'
  return (
    <Card title="Preview" note={noteOf(previewed)}>
      <div class="preview" aria-live="polite" aria-busy={state === 'counting'}>
        {request === undefined && (
          <p class="soft">
            Add a row to see who the rule would catch. Nothing is saved by looking.
          </p>
        )}
        {state === 'refused' && error !== undefined && !areAllPlaced(error, ['/rule']) && (
          <Trouble error={error} />
        )}
        {state === 'refused' && error !== undefined && areAllPlaced(error, ['/rule']) && (
          <p class="soft">The rule is not complete: the rule says where.</p>
        )}
        {result === undefined && state === 'counting' && estimate !== undefined && (
          <Estimated estimate={estimate} />
        )}
        {result !== undefined && request !== undefined && state !== 'refused' && (
          <div class={isOld ? 'old' : undefined}>
            <UnseenEvents result={result} />
            <Figures result={result} isChange={request.against !== undefined} />
            <Ranking result={result} sum={draft.sum} change={change} />
            <WholeList request={request} result={result} isOld={isOld} />
          </div>
        )}
      </div>
    </Card>
  )
}

/** Returns a few words about how exact the numbers are. */
function noteOf({ state, estimate, progress, result }: Previewed): string | undefined {
  if (state === 'exact') {
    return estimate === undefined
      ? 'exact'
      : `exact, of ${counted(estimate.entities, 'person', 'people')}`
  }
  if (state === 'waiting') return 'waits for the preview of somebody else'
  if (state !== 'counting') return undefined
  if (estimate === undefined) return 'counting …'
  const of = shownNumber(progress?.entities ?? estimate.entities)
  const done = shownNumber(progress?.done ?? estimate.looked_at)
  const about = result === undefined ? '' : `about ${shownNumber(estimate.members)}, `
  return `counting: ${about}${done} of ${of} people`
}

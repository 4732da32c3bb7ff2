import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { HistoryEntry, ListedEvent } from '../../client/dossier.js'
import { withQuery, type Route } from '../frame/route.js'
import { Card } from '../parts/card.js'
import { When } from '../parts/when.js'
import { marksOf } from './marks.js'
import { isPast, pastIn } from './past.js'
import { TimeLine } from './time-line.js'
import { TimesDialog } from './times-dialog.js'

interface Props {
  readonly route: Route
  readonly facts:
    | { readonly events: readonly ListedEvent[]; readonly changes: readonly HistoryEntry[] }
    | undefined
  /** Whether the person has more facts than the service replays. */
  readonly tooMany: boolean
}

/**
 * The control for past times: a line with a mark for each fact, and a handle. The page shows the person as of the
 * handle's time.
 */
export function TimeAxis({ route, facts, tooMany }: Props): JSX.Element {
  const [isTyping, setTyping] = useState(false)
  const past = pastIn(route.query)
  const { as_of: asOf, known_at: knownAt } = past
  const marks = facts === undefined ? [] : marksOf(facts.events, facts.changes)
  return (
    <Card
      title="As of"
      note={
        isPast(past) ? (
          <Times asOf={asOf} knownAt={knownAt} />
        ) : (
          'now · drag the handle, or press ← and →, to see what was true then'
        )
      }
      aside={
        <span class="row">
          {isPast(past) && (
            <a
              href={withQuery(route, { as_of: undefined, known_at: undefined, cursor: undefined })}
            >
              Back to now
            </a>
          )}
          {!tooMany && (
            <button
              type="button"
              class="link"
              onClick={() => {
                setTyping(true)
              }}
            >
              Known on …
            </button>
          )}
        </span>
      }
    >
      {tooMany ? (
        <p>This person has more than 100 000 facts, so the service does not show their past.</p>
      ) : (
        <TimeLine marks={marks} route={route} asOf={asOf} />
      )}
      {isTyping && (
        <TimesDialog
          route={route}
          onClose={() => {
            setTyping(false)
          }}
        />
      )}
    </Card>
  )
}

interface TimesProps {
  readonly asOf: string | undefined
  readonly knownAt: string | undefined
}

function Times({ asOf, knownAt }: TimesProps): JSX.Element {
  return (
    <b>
      {asOf === undefined ? 'now' : <When at={asOf} plain />}
      {knownAt !== undefined && (
        <>
          , as known on <When at={knownAt} plain />
        </>
      )}
    </b>
  )
}

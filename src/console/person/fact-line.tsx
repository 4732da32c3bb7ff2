import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { HistoryEntry, ListedEvent } from '../../client/dossier.js'
import { typedTime } from '../by-hand/typed-values.js'
import { go, withQuery, type Route } from '../frame/route.js'
import { When } from '../parts/when.js'
import { marksOf, stepAt, stepsOf, type Mark } from './marks.js'

interface Props {
  readonly route: Route
  readonly facts:
    | { readonly events: readonly ListedEvent[]; readonly changes: readonly HistoryEntry[] }
    | undefined
  /** The past of somebody with so many facts is not worked out. */
  readonly tooMany: boolean
}

/** A mark at each fact, and a slider to any of them. */
export function FactLine({ route, facts, tooMany }: Props): JSX.Element {
  const asOf = route.query.get('as_of') ?? undefined
  const marks = facts === undefined ? [] : marksOf(facts.events, facts.changes)
  const steps = stepsOf(marks)
  const [dragged, setDragged] = useState<number>()
  const place = dragged ?? stepAt(steps, asOf)
  const step = steps[place]
  return (
    <section class="line" aria-label="Time">
      <Marks marks={marks} asOf={asOf} />
      <input
        type="range"
        aria-label="As of"
        aria-valuetext={step ?? 'now'}
        min={0}
        max={steps.length}
        value={place}
        disabled={tooMany || steps.length === 0}
        onInput={({ currentTarget }) => {
          setDragged(currentTarget.valueAsNumber)
        }}
        onChange={({ currentTarget }) => {
          setDragged(undefined)
          go(withQuery(route, { as_of: steps[currentTarget.valueAsNumber], cursor: undefined }))
        }}
      />
      <p class="row">
        <span>
          As of{' '}
          {dragged === undefined && asOf !== undefined ? (
            <When at={asOf} plain />
          ) : step === undefined ? (
            'now'
          ) : (
            <When at={step} plain />
          )}
        </span>
        <small class="muted">
          A point for each event, a square for each change; above the line what was recorded later
          than it happened.
        </small>
      </p>
      {tooMany ? (
        <p>
          More than 100 000 facts are known of this person: the past is not worked out from so many.
          Look at the timeline and the history.
        </p>
      ) : (
        <Times key={route.query.toString()} route={route} />
      )}
    </section>
  )
}

const [width, height, base, edge] = [1_000, 60, 46, 8]

function Marks({ marks, asOf }: { marks: readonly Mark[]; asOf: string | undefined }): JSX.Element {
  const across = (x: number) => edge + x * (width - 2 * edge)
  const [first, last] = [marks[0], marks.at(-1)]
  const until = asOf === undefined ? Infinity : Date.parse(asOf)
  const late = marks.filter(({ off }) => off > 0).length
  const words = `${String(marks.length)} facts, ${String(late)} of them recorded late`
  return (
    <svg
      viewBox={`0 0 ${String(width)} ${String(height)}`}
      role="img"
      aria-label={words}
      preserveAspectRatio="none"
    >
      <path d={`M0 ${String(base)}H${String(width)}`} />
      {first !== undefined && last !== undefined && until >= first.at && until < last.at && (
        <path
          class="as-of"
          d={`M${String(across((until - first.at) / (last.at - first.at)))} 0V${String(height)}`}
        />
      )}
      {marks.map(({ factId, x, off, event, at }) => {
        const [left, top] = [across(x), base - off * (base - edge)]
        const style = at > until ? 'later' : off > 0 ? 'late' : undefined
        return event === undefined ? (
          <rect key={factId} class={style} x={left - 3} y={top - 3} width={6} height={6} />
        ) : (
          <ellipse key={factId} class={style} cx={left} cy={top} rx={4} ry={4} />
        )
      })}
    </svg>
  )
}

/** Both times, to be typed. */
function Times({ route }: { route: Route }): JSX.Element {
  const [asOf, setAsOf] = useState(route.query.get('as_of') ?? '')
  const [knownAt, setKnownAt] = useState(route.query.get('known_at') ?? '')
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault()
        const times = { as_of: typedTime(asOf), known_at: typedTime(knownAt) }
        go(withQuery(route, { ...times, cursor: undefined }))
      }}
    >
      <label>
        By what happened until
        <input
          value={asOf}
          placeholder="2026-11-01 09:30 (UTC)"
          onInput={({ currentTarget }) => {
            setAsOf(currentTarget.value)
          }}
        />
      </label>
      <label>
        As known on
        <input
          value={knownAt}
          placeholder="2026-11-01 (UTC)"
          onInput={({ currentTarget }) => {
            setKnownAt(currentTarget.value)
          }}
        />
      </label>
      <button type="submit">Show</button>
      {(route.query.has('as_of') || route.query.has('known_at')) && (
        <a href={withQuery(route, { as_of: undefined, known_at: undefined, cursor: undefined })}>
          Back to now
        </a>
      )}
    </form>
  )
}

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { HistoryEntry, ListedEvent } from '../../client/dossier.js'
import { Field } from '../parts/field.js'
import { typedTime } from '../by-hand/typed-values.js'
import { go, withQuery, type Route } from '../frame/route.js'
import { When } from '../parts/when.js'
import { marksAtMost, marksOf, stepAt, stopsOf, type Mark } from './marks.js'

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
  const knownAt = route.query.get('known_at')
  const marks = facts === undefined ? [] : marksOf(facts.events, facts.changes)
  const steps = stopsOf(marks)
  const [dragged, setDragged] = useState<number>()
  const place = dragged ?? stepAt(steps, asOf)
  const step = steps[place]
  const at = (dragged === undefined ? asOf : undefined) ?? step
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
          {at === undefined ? (
            knownAt === null && 'As of now'
          ) : (
            <>
              As of <When at={at} plain />
            </>
          )}
          {knownAt !== null && (
            <>
              {' '}
              As known on <When at={knownAt} plain />
            </>
          )}
        </span>
        <small class="muted">
          A point for each event, a square below for each change; above the line what was recorded
          later than it happened.{marks.length === marksAtMost && ' The newest 1 000 are drawn.'}
        </small>
      </p>
      {tooMany ? (
        <p>More than 100 000 facts: the past is not shown. Look at the timeline and the history.</p>
      ) : (
        <Times key={route.query.toString()} route={route} />
      )}
    </section>
  )
}

/** Heights in the drawing, from above: the line, and how far the marks go over it. */
const [base, over] = [46, 38]
const across = (share: number) => `${String(1 + 98 * share)}%`

function Marks({ marks, asOf }: { marks: readonly Mark[]; asOf: string | undefined }): JSX.Element {
  const until = asOf === undefined ? Infinity : Date.parse(asOf)
  const late = marks.filter(({ off }) => off > 0).length
  const words = `${String(marks.length)} facts, ${String(late)} of them recorded late`
  const place = shareOf(marks, until)
  return (
    <svg role="img" aria-label={words}>
      <line x1="0" x2="100%" y1={base} y2={base} />
      {place !== undefined && (
        <line class="as-of" x1={across(place)} x2={across(place)} y1="0" y2="100%" />
      )}
      {marks.map(({ factId, x, off, event, at }) => {
        const style = at > until ? 'later' : off > 0 ? 'late' : undefined
        return event === undefined ? (
          <rect key={factId} class={style} x={across(x)} y={base + 5} width="6" height="6" />
        ) : (
          <circle key={factId} class={style} cx={across(x)} cy={base - off * over} r="4" />
        )
      })}
    </svg>
  )
}

/** Where on the line an instant is; undefined: not on it. */
function shareOf(marks: readonly Mark[], at: number): number | undefined {
  const [first, last] = [marks[0], marks.at(-1)]
  if (first === undefined || last === undefined || at < first.at || at >= last.at) return undefined
  return (at - first.at) / (last.at - first.at)
}

/** Both times, to be typed. */
function Times({ route }: { route: Route }): JSX.Element {
  const [asOf, setAsOf] = useState(route.query.get('as_of') ?? '')
  const [knownAt, setKnownAt] = useState(route.query.get('known_at') ?? '')
  const [ofFaults, onFaults] = [timeFaults(asOf), timeFaults(knownAt)]
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault()
        if (ofFaults.length + onFaults.length > 0) return
        const times = { as_of: typedTime(asOf), known_at: typedTime(knownAt) }
        go(withQuery(route, { ...times, cursor: undefined }))
      }}
    >
      <Field
        label="By what happened until"
        value={asOf}
        set={setAsOf}
        faults={ofFaults}
        placeholder="2026-11-01 09:30 (UTC)"
      />
      <Field
        label="As known on"
        value={knownAt}
        set={setKnownAt}
        faults={onFaults}
        placeholder="2026-11-01 (UTC)"
      />
      <button type="submit">Show</button>
      {(route.query.has('as_of') || route.query.has('known_at')) && (
        <a href={withQuery(route, { as_of: undefined, known_at: undefined, cursor: undefined })}>
          Back to now
        </a>
      )}
    </form>
  )
}

function timeFaults(text: string): readonly string[] {
  return Number.isNaN(Date.parse(typedTime(text) ?? '2026')) ? ['no time: 2026-11-01 09:30'] : []
}

import type { ComponentChildren, JSX } from 'preact'
import type { Totals } from '../../client/dossier.js'
import { addressOf } from '../frame/route.js'
import { counted, shownNumber } from '../parts/numbers.js'
import { countedBy, since } from '../refusals/refusal-counts.js'
import { useRefusals } from '../refusals/use-refusals.js'
import { eventsOf, newPeopleOf } from './day-counts.js'

const hourMs = 3_600_000

/** The four most important numbers. */
export function Figures({ totals }: { totals: Totals | undefined }): JSX.Element {
  const days = totals?.days ?? []
  const [today, yesterday] = [eventsOf(days.at(-1)), eventsOf(days.at(-2))]
  const month = days.reduce((sum, day) => sum + eventsOf(day), 0)
  return (
    <div class="grid four">
      <Figure title="People" value={totals?.people}>
        +{shownNumber(newPeopleOf(days.slice(-7)))} in the last 7 days
      </Figure>
      <Figure title="Events today" value={totals && today}>
        {shownNumber(yesterday)} yesterday
      </Figure>
      <Figure title="Events in all" value={totals?.events}>
        {shownNumber(month)} in the last {counted(days.length, 'day')}
      </Figure>
      <RefusedFigure />
    </div>
  )
}

function RefusedFigure(): JSX.Element {
  const { value } = useRefusals()
  const refused = since(value?.items ?? [], hourMs, Date.now())
  const [most] = countedBy(refused, ({ code }) => code)
  return (
    <Figure title="Refused in the last hour" value={value && refused.length}>
      {most === undefined ? (
        'by the process that answers'
      ) : (
        <a href={addressOf(['refusals'], { code: most.value })}>
          {shownNumber(most.count)} of them: {most.value}
        </a>
      )}
    </Figure>
  )
}

interface FigureProps {
  readonly title: string
  /** The number. Undefined while it is not known. */
  readonly value: number | undefined
  readonly children: ComponentChildren
}

function Figure({ title, value, children }: FigureProps): JSX.Element {
  return (
    <section class="card">
      <header>
        <h2>{title}</h2>
      </header>
      <b class="figure">{value === undefined ? '\u2007' : shownNumber(value)}</b>
      <span>{value === undefined ? '\u2007' : children}</span>
    </section>
  )
}

import type { JSX } from 'preact'
import type { Totals } from '../../client/dossier.js'
import { addressOf } from '../frame/route.js'
import { Card } from '../parts/card.js'
import { seriesAtMost } from '../parts/chart/series.js'
import { StackedBars } from '../parts/chart/stacked-bars.js'
import { Empty } from '../parts/empty.js'
import { Skeleton } from '../parts/skeleton.js'
import { shownDay } from '../parts/times.js'
import { byName, eventsOf } from './day-counts.js'

/** Returns the label of a day, such as `25 Nov`. Days of totals are UTC days, even if the page shows another zone. */
export function dayLabel({ day }: { readonly day: string }): string {
  return shownDay(new Date(day), 'UTC')
}

/** A chart of the events of the last 30 days, stacked by name. */
export function EventsByDay({ totals }: { totals: Totals | undefined }): JSX.Element {
  const days = totals?.days ?? []
  const hasEvents = days.some((day) => eventsOf(day) > 0)
  return (
    <Card
      title="Events per day"
      note={`last ${String(days.length === 0 ? 30 : days.length)} days, UTC, by the time they happened`}
      aside={<a href={addressOf(['data'])}>Data</a>}
    >
      {totals === undefined ? (
        <Skeleton rows={6} />
      ) : hasEvents ? (
        <StackedBars
          title="Events per day"
          head="Day"
          labels={days.map(dayLabel)}
          series={byName(days, seriesAtMost)}
        />
      ) : (
        <Empty title="No events in the last 30 days" icon="chart">
          <a href={addressOf(['people'])}>Record one on the page of a person</a>
        </Empty>
      )}
    </Card>
  )
}

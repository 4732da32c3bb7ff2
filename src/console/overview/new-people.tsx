import type { JSX } from 'preact'
import type { Totals } from '../../client/dossier.js'
import { addressOf } from '../frame/route.js'
import { Card } from '../parts/card.js'
import { StackedBars } from '../parts/chart/stacked-bars.js'
import { Skeleton } from '../parts/skeleton.js'
import { dayLabel } from './events-by-day.js'

/** A chart of the people who were created on each of the last 30 days. */
export function NewPeople({ totals }: { totals: Totals | undefined }): JSX.Element {
  return (
    <Card
      title="New people per day"
      aside={<a href={addressOf(['people'], { order: 'created' })}>All</a>}
    >
      {totals === undefined ? (
        <Skeleton rows={3} />
      ) : (
        <StackedBars
          title="New people per day"
          head="Day"
          height={120}
          labels={totals.days.map(dayLabel)}
          series={[{ name: 'new people', values: totals.days.map((day) => day.new_people) }]}
        />
      )}
    </Card>
  )
}

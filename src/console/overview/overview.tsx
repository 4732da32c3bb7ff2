import type { JSX } from 'preact'
import { Trouble } from '../parts/trouble.js'
import { WebhookAlarm } from '../webhooks/webhook-alarm.js'
import { CopyMenu } from '../parts/copy-menu.js'
import { PageHead } from '../parts/page-head.js'
import { Questions } from './questions.js'
import { EventsByDay } from './events-by-day.js'
import { Figures } from './figures.js'
import { HealthChip } from './health-chip.js'
import { JustNow } from './just-now.js'
import { NewPeople } from './new-people.js'
import { RefusedByCode } from './refused-by-code.js'
import { SegmentTrends } from './segment-trends.js'
import { useTotals } from './use-totals.js'
import './overview.css'

/** The first page: the numbers of people and events, and a warning when something needs attention. */
export function Overview(): JSX.Element {
  const totals = useTotals()
  return (
    <>
      <PageHead
        title="Overview"
        mark={
          <>
            <HealthChip />
            <WebhookAlarm />
          </>
        }
      >
        <CopyMenu call={{ path: '/totals', code: 'await dossier.totals()' }} />
      </PageHead>
      <Trouble error={totals.error} />
      <Figures totals={totals.value} />
      <div class="grid two">
        <div class="stack">
          <EventsByDay totals={totals.value} />
          <JustNow />
        </div>
        <div class="stack">
          <SegmentTrends />
          <NewPeople totals={totals.value} />
          <RefusedByCode />
          <Questions />
        </div>
      </div>
    </>
  )
}

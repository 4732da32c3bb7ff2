import type { JSX } from 'preact'
import type { Refusal } from '../../client/dossier.js'
import { addressOf, go, withQuery, type Route } from '../frame/route.js'
import { Card } from '../parts/card.js'
import { CopyMenu } from '../parts/copy-menu.js'
import { Empty } from '../parts/empty.js'
import { counted, shownNumber } from '../parts/numbers.js'
import { PageHead } from '../parts/page-head.js'
import { Select } from '../parts/select.js'
import { Skeleton } from '../parts/skeleton.js'
import { Table } from '../parts/table.js'
import { Trouble } from '../parts/trouble.js'
import { countedBy, matching, routeName, since, type RefusalFilter } from './refusal-counts.js'
import { RefusalRow } from './refusal-row.js'
import { StatusChip } from './status-chip.js'
import { useRefusals } from './use-refusals.js'
import './refusals.css'

const minuteMs = 60_000
const shownAtMost = 200

/** The page of refused requests: when, with which key, and why they were refused. */
export function Refusals(route: Route): JSX.Element {
  const { value: last, error, isCurrent } = useRefusals()
  // The list of the navigation can be 15 seconds old. It is not shown as if it were the newest one.
  const value = isCurrent || error !== undefined ? last : undefined
  const items = value?.items ?? []
  const get = (name: string) => route.query.get(name) ?? ''
  const filter: RefusalFilter = { code: get('code'), key: get('key'), route: get('route') }
  const shown = matching(items, filter)
  const lately = since(shown, minuteMs, Date.now()).length
  return (
    <>
      <PageHead
        title="Refusals"
        sub={
          value === undefined
            ? '\u2007'
            : `${counted(lately, 'request')} refused in the last minute, ${shownNumber(shown.length)} in all since this process started`
        }
      >
        <CopyMenu
          call={{
            path: '/refusals?include=reads',
            code: "const refusals = await dossier.service.refusals({ include: 'reads' })",
          }}
        />
      </PageHead>
      <Trouble error={error} />
      {items.length > 0 && (
        <ul class="codes">
          {countedBy(items, ({ code }) => code).map(({ value: code, count }) => (
            <li key={code}>
              <a
                class="card"
                href={withQuery(route, { code: code === filter.code ? undefined : code })}
                aria-current={code === filter.code}
              >
                <StatusChip status={items.find((item) => item.code === code)?.status ?? 0} />
                <b class="figure">{shownNumber(count)}</b>
                <span>{code}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      <Card
        title="Newest first"
        aside={items.length > 0 && <Filters route={route} filter={filter} items={items} />}
      >
        {value === undefined && error === undefined && <Skeleton />}
        {value !== undefined && shown.length === 0 && (
          <Empty title="No refused request" icon="yes">
            <p>This process has refused nothing{items.length > 0 && ' that matches'}.</p>
          </Empty>
        )}
        {shown.length > 0 && (
          <div class="refused">
            <Table heads={['Time', 'Key', 'Request', 'Why', 'Request id']}>
              {shown.slice(0, shownAtMost).map((refusal) => (
                <RefusalRow key={refusal.id} refusal={refusal} />
              ))}
            </Table>
          </div>
        )}
        <p class="note">
          One process remembers these; another process has its own list. Not listed: previews, reads
          that find nothing (404), and {counted(value?.unauthenticated ?? 0, 'request')} without a
          valid key.
        </p>
      </Card>
    </>
  )
}

interface FilterProps {
  readonly route: Route
  readonly filter: RefusalFilter
  readonly items: readonly Refusal[]
}

function Filters({ route, filter, items }: FilterProps): JSX.Element {
  const options = (valueOf: Parameters<typeof countedBy>[1]) =>
    countedBy(items, valueOf).map((one) => [one.value, one.value] as const)
  return (
    <span class="row">
      <Select
        label="Key"
        isLabelHidden
        value={filter.key}
        options={[['', 'All keys'], ...options(({ key }) => key)]}
        set={(key) => {
          go(withQuery(route, { key }))
        }}
      />
      <Select
        label="Route"
        isLabelHidden
        value={filter.route}
        options={[['', 'All routes'], ...options(routeName)]}
        set={(chosen) => {
          go(withQuery(route, { route: chosen }))
        }}
      />
      {(filter.code !== '' || filter.key !== '' || filter.route !== '') && (
        <a href={addressOf(['refusals'])}>Show all</a>
      )}
    </span>
  )
}

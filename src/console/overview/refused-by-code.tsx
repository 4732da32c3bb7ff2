import type { JSX } from 'preact'
import { addressOf } from '../frame/route.js'
import { Card } from '../parts/card.js'
import { NumHead } from '../parts/num-head.js'
import { shownNumber } from '../parts/numbers.js'
import { Table } from '../parts/table.js'
import { countedBy } from '../refusals/refusal-counts.js'
import { StatusChip } from '../refusals/status-chip.js'
import { useRefusals } from '../refusals/use-refusals.js'

const shownAtMost = 5

/** The number of refused requests since the process started, by code. */
export function RefusedByCode(): JSX.Element {
  const { value } = useRefusals()
  const items = value?.items ?? []
  return (
    <Card title="Refused" aside={<a href={addressOf(['refusals'])}>All</a>}>
      {items.length === 0 ? (
        <p class="sub">Nothing since this process started.</p>
      ) : (
        <Table heads={['Code', <NumHead key="count">Requests</NumHead>]}>
          {countedBy(items, ({ code }) => code)
            .slice(0, shownAtMost)
            .map(({ value: code, count }) => (
              <tr key={code}>
                <td>
                  <StatusChip status={items.find((item) => item.code === code)?.status ?? 0} />{' '}
                  <a href={addressOf(['refusals'], { code })}>{code}</a>
                </td>
                <td class="num">{shownNumber(count)}</td>
              </tr>
            ))}
        </Table>
      )}
    </Card>
  )
}

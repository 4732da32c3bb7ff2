import type { JSX } from 'preact'
import { useSession } from '../../frame/session.js'
import { Card } from '../../parts/card.js'
import { Chip } from '../../parts/chip.js'
import { Empty } from '../../parts/empty.js'
import { Text } from '../../parts/id.js'
import { Num } from '../../parts/num.js'
import { NumHead } from '../../parts/num-head.js'
import { Skeleton } from '../../parts/skeleton.js'
import { Table } from '../../parts/table.js'
import { Trouble } from '../../parts/trouble.js'
import { useAnswer } from '../../parts/use-answer.js'
import { When } from '../../parts/when.js'

/** The latest attempts of the process that replies, newest first. */
export function AttemptsCard({ webhook }: { webhook: string }): JSX.Element {
  const { client } = useSession()
  const { value, error } = useAnswer(
    ['attempts', webhook],
    async (signal) => (await client.webhooks.attempts(webhook, { signal })).items,
  )
  return (
    <Card title="Attempts" note="the latest 200 of this process">
      <Trouble error={error?.code === 'webhook_not_found' ? undefined : error} />
      {value === undefined && error === undefined && <Skeleton />}
      {value?.length === 0 && (
        <Empty title="No attempt yet" icon="activity">
          <p>This process has sent nothing for this webhook since it started.</p>
        </Empty>
      )}
      {value !== undefined && value.length > 0 && (
        <Table
          isTall
          heads={[
            'When',
            'Reply',
            <NumHead key="ms">ms</NumHead>,
            <th key="fact" class="hide-s">
              Fact
            </th>,
          ]}
        >
          {value.map(({ fact_id: fact, at, status, error: fault, duration_ms: ms }) => (
            <tr key={fact + at}>
              <td>
                <When at={at} />
              </td>
              <td>
                <Chip tone={status !== null && status < 300 ? 'good' : 'bad'}>
                  {status === null ? <Text text={fault ?? 'no reply'} /> : String(status)}
                </Chip>
              </td>
              <td class="num">
                <Num value={ms} />
              </td>
              <td class="hide-s">
                <code>{fact}</code>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}

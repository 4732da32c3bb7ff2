import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { addressOf } from '../../frame/route.js'
import { useSession } from '../../frame/session.js'
import { Card } from '../../parts/card.js'
import { Chip } from '../../parts/chip.js'
import { Empty } from '../../parts/empty.js'
import { Person } from '../../parts/id.js'
import { Skeleton } from '../../parts/skeleton.js'
import { Table } from '../../parts/table.js'
import { Trouble } from '../../parts/trouble.js'
import { useAnswer } from '../../parts/use-answer.js'
import { When, WhenHead } from '../../parts/when.js'
import { causeWords } from '../../why/causes.js'
import { PageButtons } from './page-buttons.js'

/** The entries and exits of members with their causes, newest first. */
export function ChangesTab({ segment }: { segment: string }): JSX.Element {
  const { client } = useSession()
  const [cursor, setCursor] = useState<string>()
  const { value, error } = useAnswer(['changes', segment, cursor], (signal) =>
    client.segments
      .changes(segment, { limit: 50, ...(cursor !== undefined && { cursor }) }, { signal })
      .page(),
  )
  return (
    <Card title="Entered and left" note="newest first">
      <Trouble error={error} />
      {value === undefined && error === undefined && <Skeleton />}
      {value?.items.length === 0 && (
        <Empty title="No change yet" icon="activity">
          <p>Nobody has entered or left since this version was defined.</p>
        </Empty>
      )}
      {value !== undefined && value.items.length > 0 && (
        <Table heads={[<WhenHead key="0" />, 'Person', 'Change', 'Because of', <td key="why" />]}>
          {value.items.map(({ external_id: id, at, change, cause }) => (
            <tr key={id + at + change}>
              <td>
                <When at={at} plain />
              </td>
              <td>
                <Person id={id} />
              </td>
              <td>
                <Chip tone={change === 'enter' ? 'good' : 'plain'}>
                  {change === 'enter' ? 'entered' : 'left'}
                </Chip>
              </td>
              <td>{causeWords(cause)}</td>
              <td>
                <a href={addressOf(['people', id, 'why', segment])}>Why</a>
              </td>
            </tr>
          ))}
        </Table>
      )}
      <PageButtons cursor={cursor} next={value?.next_cursor} set={setCursor} />
    </Card>
  )
}

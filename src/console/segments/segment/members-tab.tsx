import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Member, Segment } from '../../../client/dossier.js'
import { addressOf } from '../../frame/route.js'
import { useSession } from '../../frame/session.js'
import { Card } from '../../parts/card.js'
import { Empty } from '../../parts/empty.js'
import { Person } from '../../parts/id.js'
import { Json } from '../../parts/json.js'
import { Skeleton } from '../../parts/skeleton.js'
import { Table } from '../../parts/table.js'
import { Trouble } from '../../parts/trouble.js'
import { useAnswer } from '../../parts/use-answer.js'
import { visible } from '../../parts/visible.js'
import { When } from '../../parts/when.js'
import { ColumnForm } from './column-form.js'
import { MembersFile } from './members-file.js'
import { PageButtons } from './page-buttons.js'

/** The members of a segment, with properties as columns, and all members as a file. */
export function MembersTab({ segment: { key, kind } }: { segment: Segment }): JSX.Element {
  const { client } = useSession()
  const [pointers, setPointers] = useState<readonly string[]>([])
  const [cursor, setCursor] = useState<string>()
  const query = { limit: 50, ...(pointers.length > 0 && { properties: pointers.join(',') }) }
  const { value, error } = useAnswer(['members', key, query, cursor], (signal) =>
    client.segments
      .members(key, { ...query, ...(cursor !== undefined && { cursor }) }, { signal })
      .page(),
  )
  return (
    <Card title="Members">
      <div class="row above">
        <ColumnForm
          set={(columns) => {
            setPointers(columns)
            setCursor(undefined)
          }}
        />
        <MembersFile segment={key} pointers={pointers} />
      </div>
      <Trouble error={error} />
      {value === undefined && error === undefined && <Skeleton />}
      {value?.items.length === 0 && (
        <Empty title="Nobody is in this segment" icon="people">
          <p>
            {kind === 'hand' ? 'Add somebody on the tab “Rule”.' : 'Nobody matches the rule now.'}
          </p>
        </Empty>
      )}
      {value !== undefined && value.items.length > 0 && (
        <Table heads={['Person', 'Entered', ...pointers.map(visible), <td key="why" />]}>
          {value.items.map((member) => (
            <Row key={member.external_id} member={member} pointers={pointers} segment={key} />
          ))}
        </Table>
      )}
      <PageButtons cursor={cursor} next={value?.next_cursor} set={setCursor} />
    </Card>
  )
}

interface RowProps {
  readonly member: Member
  readonly pointers: readonly string[]
  readonly segment: string
}

function Row({ member, pointers, segment }: RowProps): JSX.Element {
  const { external_id: id, since, properties = {} } = member
  return (
    <tr>
      <td>
        <Person id={id} />
      </td>
      <td>
        <When at={since} />
      </td>
      {pointers.map((pointer) => (
        <td key={pointer}>
          {Object.hasOwn(properties, pointer) && <Json value={properties[pointer]} inLine />}
        </td>
      ))}
      <td>
        <a href={addressOf(['people', id, 'why', segment])}>Why</a>
      </td>
    </tr>
  )
}

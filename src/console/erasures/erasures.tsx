import type { JSX } from 'preact'
import type { Route } from '../frame/route.js'
import { useScope, useSession } from '../frame/session.js'
import { Card } from '../parts/card.js'
import { CopyMenu } from '../parts/copy-menu.js'
import { Empty } from '../parts/empty.js'
import { PageHead } from '../parts/page-head.js'
import { Pager } from '../parts/pager.js'
import { Skeleton } from '../parts/skeleton.js'
import { Table } from '../parts/table.js'
import { Trouble } from '../parts/trouble.js'
import { useAnswer } from '../parts/use-answer.js'
import { WhenHead } from '../parts/when.js'
import { ReceiptRow } from './receipt-row.js'
import './erasures.css'

/** The page of erasures. Each receipt says what was removed and what remains. A receipt contains no external id. */
export function Erasures(route: Route): JSX.Element {
  const mayRead = useScope('erase')
  return (
    <>
      <PageHead
        title="Erasures"
        sub="One receipt for each erased person. A receipt has no external id."
      >
        <CopyMenu
          call={{
            path: '/erasures',
            code: 'for await (const receipt of dossier.erasures.list()) console.log(receipt)',
          }}
        />
      </PageHead>
      {mayRead ? (
        <Receipts parts={route.parts} query={route.query} />
      ) : (
        <Card title="Receipts">
          <p class="soft">This key cannot read receipts: it lacks the scope “erase”.</p>
        </Card>
      )}
    </>
  )
}

function Receipts(route: Route): JSX.Element {
  const { client } = useSession()
  const cursor = route.query.get('cursor')
  const { value, error } = useAnswer(['erasures', cursor], (signal) =>
    client.erasures.list({ limit: 50, ...(cursor !== null && { cursor }) }, { signal }).page(),
  )
  return (
    <Card title="Receipts">
      <Trouble error={error} />
      {value === undefined && error === undefined && <Skeleton />}
      {value?.items.length === 0 && (
        <Empty title="Nobody was erased" icon="trash">
          <p>The page of a person has a button that erases them.</p>
        </Empty>
      )}
      {value !== undefined && value.items.length > 0 && (
        <Table
          heads={[
            <WhenHead name="Erased" key="1" />,
            'Person',
            'Removed',
            'State by place',
            'Not reached',
          ]}
        >
          {value.items.map((receipt) => (
            <ReceiptRow key={receipt.erasure} receipt={receipt} />
          ))}
        </Table>
      )}
      <Pager route={route} next={value?.next_cursor} />
    </Card>
  )
}

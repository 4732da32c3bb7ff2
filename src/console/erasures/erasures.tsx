import type { JSX } from 'preact'
import type { ErasurePlace, ErasureReceipt } from '../../client/dossier.js'
import type { Route } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { useAsked } from '../parts/asked.js'
import { CopyCall } from '../parts/copy-call.js'
import { Text } from '../parts/id.js'
import { counted } from '../parts/numbers.js'
import { Pager } from '../parts/pager.js'
import { Table } from '../parts/table.js'
import { Trouble } from '../parts/trouble.js'
import { When, WhenHead } from '../parts/when.js'

const states: Readonly<Record<ErasurePlace['state'], string>> = {
  waiting: 'not yet',
  purged: 'nothing is left',
  until_vacuum: 'until npx dossier vacuum, while the service is stopped',
  confirmed: 'confirmed',
}

const waits: Readonly<Record<NonNullable<ErasurePlace['for']>, string>> = {
  active_chunk: 'until the chunk is full that is written now',
  scavenge: 'until the next scavenge',
  unreachable: 'it cannot be reached',
}

/** A receipt for each person that was erased: what was removed, and what remains. No name is in it. */
export function Erasures(route: Route): JSX.Element {
  const { client } = useSession()
  const cursor = route.query.get('cursor')
  const { value, error } = useAsked(
    (signal) =>
      client.erasures.list({ limit: 50, ...(cursor !== null && { cursor }) }, { signal }).page(),
    [cursor],
  )
  return (
    <>
      <h1>Erased people</h1>
      <Trouble error={error} />
      {value?.items.length === 0 && (
        <p class="empty">Nobody was erased. The page of a person has a button for it.</p>
      )}
      <Table heads={[<WhenHead key="1" />, 'Who', 'Removed', 'Where', 'What this does not reach']}>
        {value?.items.map((receipt) => (
          <Receipt key={receipt.erasure} receipt={receipt} />
        ))}
      </Table>
      <Pager route={route} next={value?.next_cursor} />
      <CopyCall
        path="/erasures"
        code="for await (const receipt of dossier.erasures.list()) console.log(receipt)"
      />
    </>
  )
}

function Receipt({ receipt }: { receipt: ErasureReceipt }): JSX.Element {
  const { entity_id: id, reference, requested_at: at, removed, places, remains } = receipt
  return (
    <tr>
      <td>
        <When at={at} />
      </td>
      <td>
        <code>{id}</code>
        {reference !== null && (
          <div>
            <Text text={reference} />
          </div>
        )}
        {receipt.suppression_lifted_at !== null && <div>the id may be used again</div>}
      </td>
      <td>
        {removed === null
          ? 'not yet'
          : `${counted(factsOf(removed.facts), 'fact')}, ${counted(removed.memberships, 'membership')}`}
      </td>
      <td>
        {places.map(({ place, node = '', state, for: reason }) => (
          <div key={place + node}>
            <Text text={`${place} ${node}`} />:{' '}
            <span class={state === 'waiting' ? '' : 'good'}>
              {reason === undefined ? states[state] : waits[reason]}
            </span>
          </div>
        ))}
      </td>
      <td>
        <details>
          <summary>{remains.length}</summary>
          {remains.map((one) => (
            <p key={one}>
              <Text text={one} />
            </p>
          ))}
        </details>
      </td>
    </tr>
  )
}

/** All of them, of all types. */
export function factsOf(facts: Readonly<Record<string, number>>): number {
  return Object.values(facts).reduce((sum, count) => sum + count, 0)
}

import type { JSX } from 'preact'
import type { Calls } from '../../client/calls.js'
import type { Fact } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { Card } from '../parts/card.js'
import { Text } from '../parts/id.js'
import { shownNumber } from '../parts/numbers.js'
import { Trouble } from '../parts/trouble.js'
import { Table } from '../parts/table.js'
import { useAnswer } from '../parts/use-answer.js'
import { When, WhenHead } from '../parts/when.js'

type HandFact = Extract<Fact, { type: 'EntityAddedToSegment' | 'EntityRemovedFromSegment' }>

/** The changes of a membership that were made by hand, newest first, with their reasons and requests. */
export function ByHandSaid({ id, segment }: { id: string; segment: string }): JSX.Element {
  const { client } = useSession()
  const { value, error } = useAnswer(['by hand', id, segment], (signal) =>
    handFacts(client, id, segment, signal),
  )
  return (
    <Card title="By hand">
      <Trouble error={error} />
      {value?.facts.length === 0 && value.isComplete && (
        <p class="soft">Nobody has ever added or removed them.</p>
      )}
      {value?.isComplete === false && (
        <p class="soft">
          Only the oldest {shownNumber(pagesAtMost * pageSize)} facts of this person were searched.
        </p>
      )}
      {value !== undefined && value.facts.length > 0 && (
        <Table heads={[<WhenHead key="0" />, 'Change', 'Reason', 'Request']}>
          {value.facts.map(({ id: fact, type, data, request_id: request }) => (
            <tr key={fact}>
              <td>
                <When at={data.at} plain />
              </td>
              <td>{type === 'EntityAddedToSegment' ? 'added' : 'removed'}</td>
              <td>
                {data.reason === undefined ? (
                  <span class="muted">none given</span>
                ) : (
                  <Text text={data.reason} />
                )}
              </td>
              <td>
                <code>
                  <Text text={request} />
                </code>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}

const pagesAtMost = 10
const pageSize = 1_000

interface HandFacts {
  /** The changes, newest first. */
  readonly facts: readonly HandFact[]
  /** Whether all facts of the entity were searched. */
  readonly isComplete: boolean
}

async function handFacts(
  client: Calls,
  entity: string,
  segment: string,
  signal: AbortSignal,
): Promise<HandFacts> {
  const types = ['EntityAddedToSegment', 'EntityRemovedFromSegment'] as const
  const found: HandFact[] = []
  let cursor: string | undefined
  let isComplete = false
  for (let pages = 0; pages < pagesAtMost && !isComplete; pages += 1) {
    const facts = client.facts({ types, entity, signal })
    const page = await facts.page({ limit: pageSize, ...(cursor === undefined ? {} : { cursor }) })
    found.push(
      ...(page.items.filter(
        (fact) => isByHand(fact) && fact.data.segment === segment,
      ) as HandFact[]),
    )
    isComplete = page.at_head || page.next_cursor === cursor
    cursor = page.next_cursor
  }
  return { facts: found.reverse(), isComplete }
}

function isByHand(fact: Fact): fact is HandFact {
  return fact.type === 'EntityAddedToSegment' || fact.type === 'EntityRemovedFromSegment'
}

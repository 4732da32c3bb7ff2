import type { JSX } from 'preact'
import { NumHead } from '../parts/num-head.js'
import { Table } from '../parts/table.js'
import { visible } from '../parts/visible.js'
import { When, WhenHead } from '../parts/when.js'
import { factAddress } from '../person/fact-address.js'
import { evidenceColumns } from './evidence-columns.js'
import { EvidenceValue } from './evidence-value.js'
import type { Leaf } from './found.js'
import { countsUntil } from './tree.js'
import { useEvidence } from './use-evidence.js'

/** A table of the events that a part of a rule is about, with the time until which each event counts. */
export function EvidenceTable({ id, leaf }: { id: string; leaf: Leaf }): JSX.Element | null {
  const evidence = useEvidence(id, leaf)
  if (evidence.length === 0) return null
  const columns = evidenceColumns(evidence.flatMap(({ event }) => event ?? []))
  const isWindow = 'within' in leaf
  return (
    <Table
      isTall
      heads={[
        <WhenHead name="Happened" key="at" />,
        ...columns.map(({ name, decimals }) =>
          decimals === undefined ? (
            visible(name)
          ) : (
            <NumHead key={name}>
              <bdi>{visible(name)}</bdi>
            </NumHead>
          ),
        ),
        ...(isWindow ? [<NumHead key="until">Counts until</NumHead>] : []),
      ]}
    >
      {evidence.map(({ event, ...one }) => (
        <tr key={one.fact_id}>
          <td>
            <a href={factAddress(id, one.fact_id, one.occurred_at, 'occurred')}>
              <When at={one.occurred_at} plain />
            </a>
          </td>
          {columns.map((column) => (
            <EvidenceValue
              key={column.name}
              column={column}
              value={
                event !== undefined && Object.hasOwn(event.properties, column.name)
                  ? event.properties[column.name]
                  : undefined
              }
            />
          ))}
          {isWindow && (
            <td class="num" data-name="counts until">
              <When at={countsUntil(leaf, one) ?? null} plain />
            </td>
          )}
        </tr>
      ))}
    </Table>
  )
}

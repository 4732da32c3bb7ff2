import type { JSX } from 'preact'
import { Card } from '../../parts/card.js'
import { faultsAt } from '../../parts/faults.js'
import { Field } from '../../parts/field.js'
import { Select } from '../../parts/select.js'
import { useDictionary } from '../../parts/use-dictionary.js'
import { useSegments } from '../../parts/use-segments.js'
import type { DraftProps } from './draft.js'
import { NameSet } from './name-set.js'
import { TypeBoxes } from './type-boxes.js'

const choices = [
  ['all', 'all facts'],
  ['segments', 'facts of certain segments'],
  ['events', 'certain events'],
] as const

/** The fields of a webhook's filter. A fact must match every part of the filter. */
export function FilterCard({ draft, change, error }: DraftProps): JSX.Element {
  const { value: dictionary } = useDictionary()
  const { value: segments } = useSegments()
  return (
    <Card title="Which facts" note="every condition must match; an erasure is always sent">
      <div class="stack">
        <Select
          label="Send"
          value={draft.by}
          options={choices}
          set={(by) => {
            change({ by })
          }}
        />
        {draft.by === 'events' && (
          <NameSet
            label="Names of events"
            names={draft.events}
            known={dictionary?.events.map(({ name }) => name) ?? []}
            set={(events) => {
              change({ events })
            }}
            faults={faultsAt(error, '/events')}
          />
        )}
        {draft.by === 'segments' && (
          <NameSet
            label="Keys of segments"
            names={draft.segments}
            known={segments?.map(({ key }) => key) ?? []}
            set={(keys) => {
              change({ segments: keys })
            }}
            faults={faultsAt(error, '/segments')}
          />
        )}
        {draft.by !== 'events' && (
          <TypeBoxes
            types={draft.types}
            set={(types) => {
              change({ types })
            }}
          />
        )}
        <Field
          label="Only this person (optional)"
          value={draft.entity}
          set={(entity) => {
            change({ entity })
          }}
          faults={faultsAt(error, '/entity')}
        />
      </div>
    </Card>
  )
}

import type { JSX } from 'preact'
import { newClause, replaced, without } from '../rows/change-rows.js'
import type { Clause, TypedName } from '../rows/rows.js'
import { NamePick } from './name-pick.js'
import { RemoveButton } from './remove-button.js'
import { TestFields } from './test-fields.js'
import { useVocabulary } from './vocabulary.js'

interface Props {
  /** The word before the tests: "where" for events that count, "has" for the newest event. */
  readonly word: string
  readonly event: TypedName
  readonly clauses: readonly Clause[]
  /** The minimum number of clauses. When only this number remains, they have no remove buttons. */
  readonly fewest: number
  readonly set: (clauses: readonly Clause[]) => void
}

/** The tests of the properties of an event, one per line. */
export function ClauseList({ word, event, clauses, fewest, set }: Props): JSX.Element {
  const { propertiesOf, typeOf } = useVocabulary()
  return (
    <>
      {clauses.map((clause, at) => (
        <div class="clause" role="group" aria-label={`${word} ${String(at + 1)}`} key={at}>
          {at === 0 ? word : 'and'}
          <NamePick
            label="Property of the event"
            placeholder="a property …"
            value={clause.pointer}
            known={propertiesOf(event)}
            set={(pointer) => {
              set(replaced(clauses, at, { ...clause, pointer }))
            }}
          />
          <TestFields
            value={clause}
            known={typeOf(clause.pointer, event)}
            set={(next) => {
              set(replaced(clauses, at, next))
            }}
          />
          {clauses.length > fewest && (
            <RemoveButton
              label={`Remove ${word} ${String(at + 1)}`}
              onClick={() => {
                set(without(clauses, at))
              }}
            />
          )}
        </div>
      ))}
      {clauses.length > 0 && (
        <button
          type="button"
          class="link clause"
          onClick={() => {
            set([...clauses, newClause('')])
          }}
        >
          and …
        </button>
      )}
    </>
  )
}

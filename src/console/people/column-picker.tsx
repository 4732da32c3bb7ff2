import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { DictionaryProperty } from '../../client/dossier.js'
import { go, withQuery, type Route } from '../frame/route.js'
import { Dialog } from '../parts/dialog.js'
import { Text } from '../parts/id.js'
import { counted } from '../parts/numbers.js'
import { pointerName } from '../parts/pointer.js'
import { columnsAtMost, pickable, withColumn } from './columns.js'

interface Props {
  readonly route: Route
  readonly known: readonly DictionaryProperty[]
  readonly columns: readonly string[]
}

/** A menu that adds properties to the table as columns, or removes them. */
export function ColumnPicker({ route, known, columns }: Props): JSX.Element | null {
  const [isOpen, setOpen] = useState(false)
  const pointers = pickable(known)
  if (pointers.length === 0) return null
  const countOf = (pointer: string) => known.find((one) => one.pointer === pointer)?.count ?? 0
  return (
    <>
      <button
        type="button"
        class="link"
        onClick={() => {
          setOpen(true)
        }}
      >
        Columns …
      </button>
      {isOpen && (
        <Dialog
          title="Columns"
          onClose={() => {
            setOpen(false)
          }}
        >
          <div class="stack">
            {pointers.map((pointer) => (
              <label key={pointer} class="check">
                <input
                  type="checkbox"
                  checked={columns.includes(pointer)}
                  disabled={!columns.includes(pointer) && columns.length >= columnsAtMost}
                  onChange={({ currentTarget }) => {
                    const chosen = withColumn(columns, pointer, currentTarget.checked)
                    go(withQuery(route, { columns: chosen }))
                  }}
                />
                <Text text={pointerName(pointer)} />
                <small class="muted">{counted(countOf(pointer), 'person', 'people')}</small>
              </label>
            ))}
          </div>
        </Dialog>
      )}
    </>
  )
}

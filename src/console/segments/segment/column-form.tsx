import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.js'
import { Field } from '../../parts/field.js'
import { ofPointer } from '../rows/rule-of.js'

/** A form for the properties that are columns. */
export function ColumnForm({ set }: { set: (pointers: readonly string[]) => void }): JSX.Element {
  const [text, setText] = useState('')
  return (
    <form
      class="row at-end"
      onSubmit={(event) => {
        event.preventDefault()
        set(
          text
            .split(',')
            .map((one) => one.trim())
            .filter((one) => one !== '')
            .map(ofPointer),
        )
      }}
    >
      <Field
        label="Properties to show as columns"
        placeholder="email, /address/city"
        value={text}
        set={setText}
      />
      <Button>Show columns</Button>
    </form>
  )
}

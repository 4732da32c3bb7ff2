import type { JSX } from 'preact'
import { Field } from './field.js'
import { keyFor } from './key-for.js'

interface Named {
  readonly title: string
  readonly key: string
}

interface Props {
  readonly named: Named
  readonly change: (changes: Partial<Named>) => void
  readonly isTitleRequired?: boolean
  readonly titleFaults: readonly string[]
  readonly keyFaults: readonly string[]
}

/**
 * The fields for the title and the key of a new segment or webhook. The key is derived from the title until the user
 * edits the key.
 */
export function TitleAndKey({
  named: { title, key },
  change,
  isTitleRequired = false,
  titleFaults,
  keyFaults,
}: Props): JSX.Element {
  return (
    <>
      <Field
        label="Title"
        value={title}
        set={(text) => {
          change({ title: text, ...(key === keyFor(title) && { key: keyFor(text) }) })
        }}
        required={isTitleRequired}
        faults={titleFaults}
      />
      <Field
        label="Key"
        value={key}
        set={(text) => {
          change({ key: text })
        }}
        required
        faults={keyFaults}
      />
    </>
  )
}

import type { JSX } from 'preact'
import { NamePick } from './name-pick.js'
import { useVocabulary } from './vocabulary.js'

interface Props {
  readonly pointer: string
  readonly set: (pointer: string) => void
}

/** The choice of a property of people. */
export function PropertyPick({ pointer, set }: Props): JSX.Element {
  const { properties } = useVocabulary()
  return (
    <NamePick
      label="Property"
      placeholder="a property …"
      value={pointer}
      known={properties}
      set={set}
    />
  )
}

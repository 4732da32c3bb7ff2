import type { JSX } from 'preact'
import type { DossierError } from '../../client/dossier.js'
import { faultsAt } from '../parts/faults.js'
import { Field } from '../parts/field.js'

interface Props {
  readonly label: string
  readonly value: string
  readonly set: (text: string) => void
  readonly error: DossierError | undefined
  /** Whether the field is as wide as its form. */
  readonly isAcross?: boolean
}

/** The optional own time of a write. `ownTime` reads the text. */
export function OwnTimeField({ label, value, set, error, isAcross = false }: Props): JSX.Element {
  return (
    <Field
      label={`${label} (UTC; empty: now)`}
      value={value}
      set={set}
      faults={faultsAt(error, '/occurred_at')}
      isAcross={isAcross}
      placeholder="2026-11-01 or 2026-11-01 09:30"
    />
  )
}

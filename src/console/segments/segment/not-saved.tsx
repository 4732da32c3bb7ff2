import type { JSX } from 'preact'
import { areAllPlaced } from '../../parts/faults.js'
import { Trouble } from '../../parts/trouble.js'
import type { Draft } from '../draft/draft.js'
import type { Save } from '../draft/use-save.js'
import { Overtaken } from './overtaken.js'

interface Props {
  readonly draft: Draft
  readonly save: Save
  readonly change: (changes: Partial<Draft>) => void
}

/** The reason why a draft was not saved. If another user has saved first, shows that user's version. */
export function NotSaved({ draft, save, change }: Props): JSX.Element | null {
  const { error, definition } = save
  if (error === undefined) return null
  if (error.code === 'precondition_failed' && definition !== undefined)
    return <Overtaken draft={draft} definition={definition} change={change} />
  if (areAllPlaced(error, ['/title', '/rule'])) {
    return (
      <p role="alert" class="trouble">
        Nothing was saved. The fields say why.
      </p>
    )
  }
  return <Trouble error={error} isSent />
}

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { PreviewRequest, PreviewResult } from '../../../client/dossier.js'
import { shownNumber } from '../../parts/numbers.js'
import { MatchesDialog } from './matches-dialog.js'

interface Props {
  readonly request: PreviewRequest
  readonly result: PreviewResult
  /** Whether the result belongs to the previous rule. */
  readonly isOld: boolean
}

/** A button that opens the list of all people who would match the rule. */
export function WholeList({ request, result, isOld }: Props): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <div>
      {result.members > 0 && (
        <button
          type="button"
          class="link"
          disabled={isOld}
          onClick={() => {
            setOpen(true)
          }}
        >
          List all {shownNumber(result.members)}
        </button>
      )}
      {isOpen && (
        <MatchesDialog
          previewed={{ rule: request.rule, against: request.against, result }}
          onClose={() => {
            setOpen(false)
          }}
        />
      )}
    </div>
  )
}

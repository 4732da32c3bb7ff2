import type { JSX } from 'preact'
import type { PreviewResult, Rule } from '../../../client/dossier.js'
import { Button } from '../../parts/button.js'
import { Dialog } from '../../parts/dialog.js'
import { Person } from '../../parts/id.js'
import { shownNumber } from '../../parts/numbers.js'
import { Trouble } from '../../parts/trouble.js'
import { csvLine, utf8Mark } from '../csv.js'
import { saveFile } from '../save-file.js'
import { useMatches } from './use-matches.js'

interface Props {
  readonly rule: Rule
  readonly result: PreviewResult
  readonly onClose: () => void
}

const shownAtMost = 500

/** Everybody that the rule catches, and the list as a file. */
export function MatchesDialog({ rule, result, onClose }: Props): JSX.Element {
  const { ids, looked, isComplete, error } = useMatches(rule, result)
  return (
    <Dialog title={`${shownNumber(result.members)} would be in it`} onClose={onClose}>
      <Trouble error={error} isSent />
      {!isComplete && error === undefined && (
        <p role="status" class="soft">
          {shownNumber(ids.length)} found, {shownNumber(looked)} people looked at …
        </p>
      )}
      <ul class="ids">
        {ids.slice(0, shownAtMost).map((id) => (
          <li key={id}>
            <Person id={id} />
          </li>
        ))}
      </ul>
      {ids.length > shownAtMost && (
        <p class="note">The first {shownNumber(shownAtMost)}. The file has all of them.</p>
      )}
      <div class="row buttons">
        <Button
          look="primary"
          disabled={!isComplete}
          onClick={() => {
            const lines = [['external_id'], ...ids.map((id) => [id])].map(csvLine)
            saveFile(new Blob([utf8Mark, ...lines], { type: 'text/csv' }), 'preview.csv')
          }}
        >
          Save as CSV
        </Button>
      </div>
    </Dialog>
  )
}

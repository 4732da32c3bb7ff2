import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../parts/button.js'
import { Dialog } from '../../parts/dialog.js'
import { Person } from '../../parts/id.js'
import { shownNumber } from '../../parts/numbers.js'
import { Trouble } from '../../parts/trouble.js'
import { csvLine, utf8Mark } from '../csv.js'
import { saveFile } from '../save-file.js'
import type { Previewed } from './find-matches.js'
import { useMatches, type Matches } from './use-matches.js'

interface Props {
  readonly previewed: Previewed
  readonly onClose: () => void
}

const pageSize = 100

/** All people who match the rule, page by page, and as a file. */
export function MatchesDialog({ previewed, onClose }: Props): JSX.Element {
  const { members } = previewed.result
  const matches = useMatches(previewed, pageSize)
  const [page, setPage] = useState(0)
  const { ids, isComplete, isBusy, error, find } = matches
  const from = page * pageSize
  // A search that is already running may look for fewer people.
  useEffect(() => {
    find(from + pageSize)
  }, [from, isBusy])
  const shown = ids.slice(from, from + pageSize)
  const hasNext = from + pageSize < (isComplete ? ids.length : members)
  return (
    <Dialog title={`${shownNumber(members)} would be in it`} onClose={onClose}>
      <Trouble error={error} isSent />
      <ul class="ids">
        {shown.map((id) => (
          <li key={id}>
            <Person id={id} />
          </li>
        ))}
      </ul>
      <p role="status" class="note">
        {shown.length > 0 &&
          `${shownNumber(from + 1)} to ${shownNumber(from + shown.length)} of ${shownNumber(members)}`}
        {isBusy && progressWords(matches)}
      </p>
      <div class="row buttons">
        {(page > 0 || hasNext) && (
          <>
            <Button
              disabled={page === 0}
              onClick={() => {
                setPage(page - 1)
              }}
            >
              Previous
            </Button>
            <Button
              disabled={!hasNext || (isBusy && ids.length <= from + pageSize)}
              onClick={() => {
                setPage(page + 1)
              }}
            >
              Next
            </Button>
          </>
        )}
        <FileButton matches={matches} />
      </div>
    </Dialog>
  )
}

function progressWords({ ids, looked }: Matches): string {
  const found = ` · ${shownNumber(ids.length)} found`
  return looked === 0 ? `${found} …` : `${found}, ${shownNumber(looked)} people looked at …`
}

/** A button that finds all matching people and then saves their ids. */
function FileButton({
  matches: { ids, isComplete, isBusy, error, find },
}: {
  matches: Matches
}): JSX.Element {
  const [isWanted, setWanted] = useState(false)
  useEffect(() => {
    if (!isWanted || !isComplete) return
    setWanted(false)
    const lines = [['external_id'], ...ids.map((id) => [id])].map(csvLine)
    saveFile(new Blob([utf8Mark, ...lines], { type: 'text/csv' }), 'preview.csv')
  }, [isWanted, isComplete])
  return (
    <Button
      look="primary"
      disabled={error !== undefined || (isBusy && !isComplete)}
      onClick={() => {
        setWanted(true)
        find(Infinity)
      }}
    >
      Save all as CSV
    </Button>
  )
}

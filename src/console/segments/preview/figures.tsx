import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { PreviewResult } from '../../../client/dossier.js'
import { Dialog } from '../../parts/dialog.js'
import { Person } from '../../parts/id.js'
import { shownNumber } from '../../parts/numbers.js'

interface Props {
  readonly result: PreviewResult
  /** Whether the preview compares the rule with the current members of a segment. */
  readonly isChange: boolean
}

/**
 * The numbers of people who would be members, enter and leave. The numbers for entering and leaving open lists of these
 * people.
 */
export function Figures({ result, isChange }: Props): JSX.Element {
  const { members, entering, leaving } = result
  return (
    <div class="figures">
      <div>
        <span class="figure">{shownNumber(members)}</span>
        <span>would be in it</span>
      </div>
      {isChange && (
        <>
          <Change tone="good" sign="+" change={entering} words="would enter" />
          <Change tone="bad" sign="−" change={leaving} words="would leave" />
        </>
      )}
    </div>
  )
}

interface ChangeProps {
  readonly tone: 'good' | 'bad'
  readonly sign: string
  readonly change: PreviewResult['entering']
  readonly words: string
}

function Change({ tone, sign, change, words }: ChangeProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const { count, sample } = change
  if (count === 0) {
    return (
      <div>
        <span class="figure soft">0</span>
        <span>{words}</span>
      </div>
    )
  }
  return (
    <div>
      <span class={`figure ${tone}`}>{sign + shownNumber(count)}</span>
      <button
        type="button"
        class="link"
        onClick={() => {
          setOpen(true)
        }}
      >
        {words}
      </button>
      {isOpen && (
        <Dialog
          title={`${shownNumber(count)} ${words}`}
          onClose={() => {
            setOpen(false)
          }}
        >
          <ul class="ids">
            {sample.map((id) => (
              <li key={id}>
                <Person id={id} />
              </li>
            ))}
          </ul>
          {sample.length < count && (
            <p class="note">{shownNumber(sample.length)} of them, drawn at random.</p>
          )}
        </Dialog>
      )}
    </div>
  )
}

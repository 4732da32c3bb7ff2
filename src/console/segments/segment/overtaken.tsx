import type { JSX } from 'preact'
import type { SegmentDefinition } from '../../../client/dossier.js'
import { useSession } from '../../frame/session.js'
import { Button } from '../../parts/button.js'
import { Trouble } from '../../parts/trouble.js'
import { useAnswer } from '../../parts/use-answer.js'
import { draftOf, type Draft } from '../draft/draft.js'
import { Difference } from './difference.js'

interface Props {
  readonly draft: Draft
  readonly definition: SegmentDefinition
  readonly change: (changes: Partial<Draft>) => void
}

/**
 * Shown when another user has saved or retired the segment first. The user continues with that version or with the
 * draft.
 */
export function Overtaken({ draft, definition, change }: Props): JSX.Element {
  const { client } = useSession()
  const { value, error } = useAnswer(
    ['segment now', draft.key],
    (signal) => client.segments.get(draft.key, { signal }),
    0,
  )
  const mine = { title: definition.title, rule: 'rule' in definition ? definition.rule : null }
  const isRetired = error?.code === 'segment_not_found'
  return (
    <div role="alert" class="trouble">
      <p>
        {draft.base === undefined
          ? 'There is a segment with this key already.'
          : `Somebody else has ${isRetired ? 'retired' : 'changed'} this segment meanwhile.`}{' '}
        Nothing of yours is saved yet.
      </p>
      {isRetired ? (
        <Button
          onClick={() => {
            change({ base: undefined })
          }}
        >
          Continue with mine as a new segment
        </Button>
      ) : (
        <Trouble error={error} />
      )}
      {value !== undefined && (
        <>
          <p>From their version {value.version} to yours:</p>
          <Difference before={value} after={mine} />
          <div class="row">
            <Button
              onClick={() => {
                change({ base: value })
              }}
            >
              Continue with mine, after version {value.version}
            </Button>
            <Button
              onClick={() => {
                change(draftOf(value))
              }}
            >
              Continue with theirs
            </Button>
          </div>
        </>
      )}
    </div>
  )
}

import type { JSX } from 'preact'
import type { Segment } from '../../../client/dossier.js'
import { MemberForm } from '../../by-hand/member-form.js'
import { useSession } from '../../frame/session.js'
import { faultsAt } from '../../parts/faults.js'
import { Field } from '../../parts/field.js'
import type { EditedDraft } from '../draft/use-draft.js'
import type { Save } from '../draft/use-save.js'
import { RuleEditor } from '../rule-editor.js'
import { NotSaved } from './not-saved.js'
import { MembersChart } from './members-chart.js'

interface Props {
  readonly segment: Segment
  readonly edited: EditedDraft
  readonly save: Save
  readonly isNaming: boolean
}

/** The rule of a segment with its preview. For a segment without a rule, the form that adds and removes members. */
export function RuleTab({
  segment,
  edited: { draft, change },
  save,
  isNaming,
}: Props): JSX.Element {
  const { answers } = useSession()
  return (
    <>
      <NotSaved draft={draft} save={save} change={change} />
      {(isNaming || draft.title !== segment.title) && (
        <div class="naming">
          <Field
            label="Title"
            value={draft.title}
            set={(title) => {
              change({ title })
            }}
            required
            faults={faultsAt(save.error, '/title')}
          />
        </div>
      )}
      {draft.isByHand ? (
        <MemberForm
          segment={segment.key}
          onDone={() => {
            answers.refresh()
          }}
        />
      ) : (
        <RuleEditor draft={draft} change={change} error={save.error} />
      )}
      <MembersChart segment={segment.key} />
    </>
  )
}

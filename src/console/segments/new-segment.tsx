import type { JSX } from 'preact'
import { addressOf } from '../frame/route.js'
import { useScope, useSession } from '../frame/session.js'
import { Act } from '../parts/act.js'
import { Button } from '../parts/button.js'
import { Chip } from '../parts/chip.js'
import { CopyMenu } from '../parts/copy-menu.js'
import { PageHead } from '../parts/page-head.js'
import type { Beginning } from './draft/draft.js'
import { LeaveQuestion } from './draft/leave-question.js'
import { previewCall, saveCall } from './draft/save-call.js'
import { draftName, useDraft } from './draft/use-draft.js'
import { dropDraft } from './draft/stored-drafts.js'
import { goUnasked, useLeaveGuard } from './draft/use-leave-guard.js'
import { useSave } from './draft/use-save.js'
import { NameFields } from './name-fields.js'
import { RuleEditor } from './rule-editor.js'
import { NotSaved } from './segment/not-saved.js'

/** The page of a new segment. Everybody may try a rule, and a key with the scope `segments` may save it. */
export function NewSegment({ beginning }: { beginning: Beginning }): JSX.Element {
  const { answers } = useSession()
  const edited = useDraft({ beginning })
  const { draft, isUnsaved, change, discard } = edited
  const maySave = useScope('segments')
  const save = useSave(draft, ({ key }) => {
    dropDraft(draftName({ beginning }))
    answers.refresh()
    goUnasked(addressOf(['segments', key]))
  })
  const guard = useLeaveGuard(isUnsaved, location.hash)
  const call = maySave ? saveCall(draft, save) : previewCall(draft)
  return (
    <>
      <PageHead
        path={<a href={addressOf(['segments'])}>Segments</a>}
        title={maySave ? 'New segment' : 'Try a rule'}
        mark={isUnsaved && maySave ? <Chip tone="warn">not saved</Chip> : undefined}
        sub={maySave ? undefined : 'This key may only read: try any rule, it cannot be saved.'}
      >
        {call !== undefined && <CopyMenu call={call} />}
        {isUnsaved && <Button onClick={discard}>Discard</Button>}
        <Act
          scope="segments"
          isBusy={save.isBusy}
          disabled={save.definition === undefined || draft.key === '' || draft.title === ''}
          onClick={() => void save.send()}
        >
          {draft.base === undefined
            ? 'Save the segment'
            : `Save as version ${String(draft.base.version + 1)}`}
        </Act>
      </PageHead>
      <NotSaved draft={draft} save={save} change={change} />
      <NameFields draft={draft} change={change} error={save.error} />
      {!draft.isByHand && <RuleEditor draft={draft} change={change} error={save.error} />}
      <LeaveQuestion guard={guard} discard={discard} />
    </>
  )
}

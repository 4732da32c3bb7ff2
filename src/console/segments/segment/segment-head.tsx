import type { JSX } from 'preact'
import type { Segment } from '../../../client/dossier.js'
import { addressOf } from '../../frame/route.js'
import { useScope } from '../../frame/session.js'
import { Act } from '../../parts/act.js'
import { Button } from '../../parts/button.js'
import { Chip } from '../../parts/chip.js'
import { CopyMenu } from '../../parts/copy-menu.js'
import { Text } from '../../parts/id.js'
import { PageHead } from '../../parts/page-head.js'
import { When } from '../../parts/when.js'
import { saveCall } from '../draft/save-call.js'
import type { EditedDraft } from '../draft/use-draft.js'
import type { Save } from '../draft/use-save.js'
import { copiedCall } from './copied-call.js'
import { MoreMenu } from './more-menu.js'
import { SegmentState } from './segment-state.js'

interface Props {
  readonly segment: Segment
  readonly tab: string
  readonly edited: EditedDraft
  readonly save: Save
  readonly rename: () => void
}

/** The head of a segment's page: its title, and the buttons that save or discard changes. */
export function SegmentHead({ segment, tab, edited, save, rename }: Props): JSX.Element {
  const { key, title, version, defined_at: at } = segment
  const { isUnsaved, draft, discard } = edited
  const maySave = useScope('segments')
  const saved = isUnsaved && tab === '' ? saveCall(draft, save) : undefined
  return (
    <PageHead
      path={<a href={addressOf(['segments'])}>Segments</a>}
      title={<Text text={title} />}
      mark={
        <>
          <SegmentState segment={segment} />
          {isUnsaved && <Chip tone="warn">unsaved changes</Chip>}
        </>
      }
      sub={
        <>
          {key} · version {version}, <When at={at} />
          {!maySave && ' · this key may only read: try any rule, it cannot be saved'}
        </>
      }
    >
      <CopyMenu call={saved ?? copiedCall(key, tab)} />
      <MoreMenu segment={segment} rename={rename} />
      {isUnsaved && <Button onClick={discard}>Discard</Button>}
      {isUnsaved && (
        <Act
          scope="segments"
          isBusy={save.isBusy}
          disabled={save.definition === undefined}
          onClick={() => void save.send()}
        >
          {draft.base === undefined
            ? 'Save as a new segment'
            : `Save as version ${String(draft.base.version + 1)}`}
        </Act>
      )}
    </PageHead>
  )
}

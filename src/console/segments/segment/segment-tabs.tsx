import type { JSX } from 'preact'
import type { Segment } from '../../../client/dossier.js'
import { Tabs } from '../../parts/tabs.js'
import type { EditedDraft } from '../draft/use-draft.js'
import type { Save } from '../draft/use-save.js'
import { SegmentWebhooks } from '../../webhooks/segment-webhooks.js'
import { ChangesTab } from './changes-tab.js'
import { MembersTab } from './members-tab.js'
import { RuleTab } from './rule-tab.js'
import { VersionsTab } from './versions-tab.js'

interface Props {
  readonly segment: Segment
  readonly tab: string
  readonly edited: EditedDraft
  readonly save: Save
  /** Whether the user is editing the title. */
  readonly isNaming: boolean
}

/** The tabs of one segment. */
export function SegmentTabs({ segment, tab, edited, save, isNaming }: Props): JSX.Element {
  const { key, members } = segment
  const tabs = [
    { part: '', name: 'Rule' },
    { part: 'members', name: 'Members', ...(members !== null && { count: members }) },
    { part: 'changes', name: 'Changes' },
    { part: 'webhooks', name: 'Webhooks' },
    { part: 'versions', name: 'Versions' },
  ]
  return (
    <>
      <Tabs
        label="Views of the segment"
        tabs={tabs.map(({ part, ...named }) => ({
          ...named,
          parts: part === '' ? ['segments', key] : ['segments', key, part],
          isCurrent: part === tab,
        }))}
      />
      {tab === '' && <RuleTab segment={segment} edited={edited} save={save} isNaming={isNaming} />}
      {tab === 'members' && <MembersTab segment={segment} />}
      {tab === 'changes' && <ChangesTab segment={key} />}
      {tab === 'webhooks' && <SegmentWebhooks segment={key} />}
      {tab === 'versions' && <VersionsTab segment={key} />}
    </>
  )
}

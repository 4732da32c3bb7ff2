import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { Segment } from '../../../client/dossier.js'
import { draftLike, draftOf, isChanged, type Beginning, type Draft } from './draft.js'
import { dropDraft, storeDraft, storedDraft } from './stored-drafts.js'

export interface EditedDraft {
  readonly draft: Draft
  /** Whether the draft has unsaved changes. */
  readonly isUnsaved: boolean
  readonly change: (changes: Partial<Draft>) => void
  /** Restores the saved segment, or the start of a new segment. */
  readonly discard: () => void
}

/** The segment that is edited, or the start of a new segment. */
export type Edited = { readonly base: Segment } | { readonly beginning: Beginning }

function startOf(edited: Edited): Draft {
  return 'base' in edited ? draftOf(edited.base) : draftLike(edited.beginning)
}

/**
 * Returns the name under which a draft is stored. The name of a new segment's draft begins with a plus. No key begins
 * with a plus.
 */
export function draftName(edited: Edited): string {
  if ('base' in edited) return edited.base.key
  const { like, event, property } = edited.beginning
  const query = new URLSearchParams()
  for (const [name, word] of Object.entries({ like, event, property }))
    if (word !== undefined) query.append(name, word)
  return `+${query.toString()}`
}

/** Returns a draft that survives navigation, a reload and signing out, for as long as the tab is open. */
export function useDraft(edited: Edited): EditedDraft {
  const name = draftName(edited)
  const [draft, setDraft] = useState(() => storedDraft(name) ?? startOf(edited))
  const isUnsaved =
    draft.base === undefined
      ? JSON.stringify(draft) !== JSON.stringify(startOf(edited))
      : isChanged(draft, draft.base)
  // An effect that runs after the paint would not run if the user leaves the page before the paint.
  useLayoutEffect(() => {
    if (isUnsaved) storeDraft(name, draft)
    else dropDraft(name)
  }, [draft, isUnsaved])
  // A version that another user saved replaces a draft without changes.
  const version = 'base' in edited ? edited.base.version : 0
  useEffect(() => {
    if (!isUnsaved && draft.base?.version !== version) setDraft(startOf(edited))
  }, [version, isUnsaved])
  return {
    draft,
    isUnsaved,
    change: (changes) => {
      setDraft((before) => ({ ...before, ...changes }))
    },
    discard: () => {
      dropDraft(name)
      setDraft(startOf(edited))
    },
  }
}

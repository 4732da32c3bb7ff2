import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { Segment } from '../../../client/dossier.js'
import { draftLike, draftOf, isChanged, type Beginning, type Draft } from './draft.js'
import { dropDraft, storeDraft, storedDraft } from './stored-drafts.js'

export interface EditedDraft {
  readonly draft: Draft
  /** Whether it has something that is not saved. */
  readonly isUnsaved: boolean
  readonly change: (changes: Partial<Draft>) => void
  /** Goes back to the saved segment, or to the beginning. */
  readonly discard: () => void
}

/** The edited segment, or the beginning of a new one. */
export type Edited = { readonly base: Segment } | { readonly beginning: Beginning }

function startOf(edited: Edited): Draft {
  return 'base' in edited ? draftOf(edited.base) : draftLike(edited.beginning)
}

/** The name under which a draft is kept. No key of a segment begins with a plus. */
export function draftName(edited: Edited): string {
  if ('base' in edited) return edited.base.key
  const { like, event, property } = edited.beginning
  const query = new URLSearchParams()
  for (const [name, word] of Object.entries({ like, event, property }))
    if (word !== undefined) query.append(name, word)
  return `+${query.toString()}`
}

/** A draft that survives navigation, a reload and signing out, for as long as the tab is open. */
export function useDraft(edited: Edited): EditedDraft {
  const name = draftName(edited)
  const [draft, setDraft] = useState(() => storedDraft(name) ?? startOf(edited))
  const isUnsaved =
    draft.base === undefined
      ? JSON.stringify(draft) !== JSON.stringify(startOf(edited))
      : isChanged(draft, draft.base)
  // An effect after the paint would not run when the page is left before it.
  useLayoutEffect(() => {
    if (isUnsaved) storeDraft(name, draft)
    else dropDraft(name)
  }, [draft, isUnsaved])
  // A version that somebody else saved replaces a draft without changes.
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

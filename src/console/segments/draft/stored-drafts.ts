import type { Draft } from './draft.js'

/** The number is the version of the stored format. A page with another format does not read these drafts. */
const prefix = 'dossier-rule-1:'

/**
 * Returns the draft that was left unsaved in this tab. `name` is the key of a segment, or for a new segment the start
 * of its rule.
 */
export function storedDraft(name: string): Draft | undefined {
  const text = sessionStorage.getItem(prefix + name)
  return text === null ? undefined : (JSON.parse(text) as Draft)
}

/** Stores a draft until the tab is closed. If the browser has no room for the draft, only the page keeps it. */
export function storeDraft(name: string, draft: Draft): void {
  try {
    sessionStorage.setItem(prefix + name, JSON.stringify(draft))
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
  }
}

export function dropDraft(name: string): void {
  sessionStorage.removeItem(prefix + name)
}

/** Returns the names of all unsaved drafts. */
export function storedDraftNames(): readonly string[] {
  return Array.from({ length: sessionStorage.length }, (_, at) => sessionStorage.key(at) ?? '')
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .toSorted()
}

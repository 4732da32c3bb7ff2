import type { Draft } from './draft.js'

/** The number belongs to the form of a draft: a page with another form does not read this one's drafts. */
const prefix = 'dossier-rule-1:'

/** The draft that was left unsaved in this tab. `name`: a segment's key, or what a new segment began with. */
export function storedDraft(name: string): Draft | undefined {
  const text = sessionStorage.getItem(prefix + name)
  return text === null ? undefined : (JSON.parse(text) as Draft)
}

/** Keeps a draft until the tab is closed. A draft that the browser has no room for is kept by the page alone. */
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

/** The names of all unsaved drafts. */
export function storedDraftNames(): readonly string[] {
  return Array.from({ length: sessionStorage.length }, (_, at) => sessionStorage.key(at) ?? '')
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .toSorted()
}

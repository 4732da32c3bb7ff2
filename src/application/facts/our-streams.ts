import { isFactName } from './fact-format.js'

const entityPrefix = 'entity-'
const membersPrefix = 'members-'
const prefixes: readonly string[] = [entityPrefix, membersPrefix, 'erased-']
const names: readonly string[] = ['segments', 'dossier-clock', 'erasures']

/** What the names of all streams of ours begin with. Streams of others may begin so, too. */
export const streamPrefixes: readonly string[] = [...prefixes, ...names]

export function isOurStream(name: string): boolean {
  return names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix))
}

/** Whether facts are appended to it by `ExactAppends`, and by nothing else. */
export function isExactStream(name: string): boolean {
  return names.includes(name) || name.startsWith(membersPrefix)
}

export function isOurs({ stream, type }: { readonly stream: string; readonly type: string }) {
  return isFactName(type) && isOurStream(stream)
}

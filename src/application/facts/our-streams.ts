import { isFactName } from './fact-format.js'

const prefixes: readonly string[] = ['entity-', 'members-']
const names: readonly string[] = ['segments', 'dossier-clock']

/** What the names of all streams of ours begin with. Streams of others may begin so, too. */
export const streamPrefixes: readonly string[] = [...prefixes, ...names]

/** Whether a stream of this name is ours. */
export function isOurStream(name: string): boolean {
  return names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix))
}

/** Whether a fact of this type in this stream is ours. */
export function isOurs({ stream, type }: { readonly stream: string; readonly type: string }) {
  return isFactName(type) && isOurStream(stream)
}

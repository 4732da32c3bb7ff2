import { entityStream } from '../../domain/entity.js'
import { erasedPrefix, erasuresStream } from '../../domain/erasures.js'
import { clockStream, membersStream, segmentsStream } from '../../domain/segments/segment-facts.js'
import { isFactName } from './fact-format.js'

const membersPrefix = membersStream('')
const prefixes: readonly string[] = [entityStream(''), membersPrefix, erasedPrefix]
const names: readonly string[] = [segmentsStream, clockStream, erasuresStream]

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

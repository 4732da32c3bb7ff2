import { entityStream } from '../../domain/entity.js'
import { erasedPrefix, erasuresStream } from '../../domain/erasures.js'
import { clockStream, membersStream, segmentsStream } from '../../domain/segments/segment-facts.js'
import { webhookProgressStream, webhooksStream } from '../../domain/webhooks/webhook-facts.js'
import { isFactName } from './fact-format.js'

const membersPrefix = membersStream('')
const prefixes: readonly string[] = [entityStream(''), membersPrefix, erasedPrefix]
const names: readonly string[] = [
  segmentsStream,
  clockStream,
  erasuresStream,
  webhooksStream,
  webhookProgressStream,
]

/** The prefixes of the names of Dossier's streams. Streams of other programs may begin with these prefixes too. */
export const streamPrefixes: readonly string[] = [...prefixes, ...names]

export function isOurStream(name: string): boolean {
  return names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix))
}

/** Returns whether facts are appended to the stream only through `ExactAppends`, at an expected revision. */
export function isExactStream(name: string): boolean {
  return names.includes(name) || name.startsWith(membersPrefix)
}

export function isOurs({ stream, type }: { readonly stream: string; readonly type: string }) {
  return isFactName(type) && isOurStream(stream)
}

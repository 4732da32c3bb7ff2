import { CopyRefused } from '../../../application/migration/ports/fact-copy.js'
import type { StoredFact } from '../../../application/facts/stored-fact.js'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const nil = '00000000-0000-0000-0000-000000000000'

/** Throws `CopyRefused` unless the store would return the fact without changing a byte. */
export function assertCarried(stream: string, { id, data, metadata }: StoredFact): void {
  if (!uuid.test(id) || id === nil)
    throw notCarried(stream, id, 'its id is not a UUID in lower case')
  if (!isCanonical(data))
    throw notCarried(stream, id, 'the store would return its data as another text')
  if (!isCanonical(metadata)) {
    throw notCarried(stream, id, 'the store would return its metadata as another text')
  }
}

function isCanonical(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null
    return isObject && JSON.stringify(value) === text
  } catch {
    return false
  }
}

export function notCarried(stream: string, id: string, why: string): CopyRefused {
  return new CopyRefused(
    `fact ${id} of stream ${JSON.stringify(stream)} cannot be copied unchanged: ${why}`,
  )
}

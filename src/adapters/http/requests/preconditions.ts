import type { IncomingHttpHeaders } from 'node:http'
import type { Precondition } from '../../../domain/segments/definitions.js'
import { HttpFault } from '../errors/faults.js'

export function entityTag(version: number): string {
  return `"${String(version)}"`
}

/** Reads the precondition from If-Match and If-None-Match. Throws `malformed_request` for a malformed header. */
export function preconditionOf(headers: IncomingHttpHeaders): Precondition {
  return {
    match: versionsIn('If-Match', headers['if-match'], isStrong),
    noneMatch: versionsIn('If-None-Match', headers['if-none-match'], () => true),
  }
}

const tag = /^(W\/)?"([!#-~\x80-\xff]*)"$/

/** Returns whether an entity tag is strong. If-Match never matches weak tags (RFC 9110). */
function isStrong(text: string): boolean {
  return !text.startsWith('W/')
}

/** Returns the versions that a header names. A tag in another format matches no version. */
function versionsIn(
  name: string,
  header: string | undefined,
  counts: (tag: string) => boolean,
): Precondition['match'] {
  if (header === undefined) return undefined
  if (header.trim() === '*') return 'any'
  const tags = header.split(',').map((part) => part.trim())
  if (!tags.every((text) => tag.test(text))) {
    const message = `The header ${name} must be "*" or the ETag of a reply, in its quotes.`
    throw new HttpFault('malformed_request', message)
  }
  return tags.filter(counts).flatMap((text) => versionOf(tag.exec(text)?.[2] ?? ''))
}

function versionOf(text: string): readonly number[] {
  return /^[1-9][0-9]{0,14}$/.test(text) ? [Number(text)] : []
}

import { z } from 'zod'
import { keyFormat } from './stored-fact.js'

export interface FactContext {
  /** The id of the request that the fact goes back to. */
  readonly requestId: string
  /** SHA-256 of command and key, 64 hex digits; absent for an append without a key. */
  readonly keyHash: string | undefined
  /** The id of the fact that caused this one; absent when the request itself did. */
  readonly causationId?: string
}

/** A request's id: stored with each fact that the request caused. */
export const requestIdFormat = /^[A-Za-z0-9._-]{1,128}$/

/** What goes with a fact, whatever its type. */
export const metadataSchema = z
  .object({
    schemaVersion: z.int().min(1).meta({
      description: 'The version of the data of this fact, counted for each type.',
    }),
    $correlationId: z.string().meta({
      description: 'The id of the request that the fact goes back to.',
      pattern: requestIdFormat.source,
    }),
    $causationId: z
      .string()
      .meta({
        description:
          'The id of the fact that caused this one. Absent when the request itself caused it.',
      })
      .optional(),
    idempotencyKey: z
      .string()
      .meta({
        description: 'SHA-256, in hex, of the command, a space and the Idempotency-Key.',
        pattern: keyFormat.source,
      })
      .optional(),
  })
  .meta({ title: 'Metadata', description: 'What goes with a fact, whatever its type.' })

type Metadata = z.infer<typeof metadataSchema>

/** Undefined when it is not the metadata of a fact of ours. */
export function readMetadata(text: string): Metadata | undefined {
  return metadataSchema.safeParse(parseJson(text)).data
}

/** How `metadataText` begins. */
const written = /^\{"schemaVersion":([0-9]{1,9}),"\$correlationId":"([A-Za-z0-9._-]{1,128})"/

/** The version of a fact's data; undefined when the text is not the metadata of a fact of ours. */
export function versionIn(metadata: string): number | undefined {
  const version = written.exec(metadata)?.[1]
  return version === undefined ? readMetadata(metadata)?.schemaVersion : Number(version)
}

/** The id of the request that a fact goes back to; undefined as for `versionIn`. */
export function requestIdIn(metadata: string): string | undefined {
  return written.exec(metadata)?.[2] ?? readMetadata(metadata)?.$correlationId
}

export function metadataText(
  schemaVersion: number,
  { requestId, keyHash, causationId }: FactContext,
): string {
  const metadata: Metadata = {
    schemaVersion,
    $correlationId: requestId,
    ...(causationId === undefined ? {} : { $causationId: causationId }),
    ...(keyHash === undefined ? {} : { [keyMember]: keyHash }),
  }
  return JSON.stringify(metadata)
}

const keyMember = 'idempotencyKey'
const keyOnly = z.object({ [keyMember]: z.string().regex(keyFormat) })

/** The hash of the idempotency key that a fact was stored under, whatever else its metadata says. */
export function keyIn(metadata: string): string | undefined {
  // Most facts have none, and JSON.parse costs more than the look. A name may be written with escapes.
  if (!metadata.includes(keyMember) && !metadata.includes('\\')) return undefined
  return keyOnly.safeParse(parseJson(metadata)).data?.[keyMember]
}

/** Whether the text, as `metadataText` writes it, carries just this key, or none. */
export function carriesKey(metadata: string, key: string | undefined): boolean {
  const member = `"${keyMember}":`
  return key === undefined ? !metadata.includes(member) : metadata.includes(`${member}"${key}"`)
}

/** Undefined when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

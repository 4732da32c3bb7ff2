import { z } from 'zod'
import { keyFormat } from './stored-fact.js'

export interface FactContext {
  /** The id of the request that led to the fact. */
  readonly requestId: string
  /** SHA-256 of command and key in 64 hex digits. Undefined for an append without a key. */
  readonly keyHash: string | undefined
  /** The id of the fact that caused this fact. Absent when the request itself caused it. */
  readonly causationId?: string
}

/** The form of a request id, which is stored with each fact that the request caused. */
export const requestIdFormat = /^[A-Za-z0-9._-]{1,128}$/

/** The metadata of a fact of any type. */
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

/** Parses metadata. Returns undefined for text in another form. */
export function readMetadata(text: string): Metadata | undefined {
  return metadataSchema.safeParse(parseJson(text)).data
}

/** The beginning of the text that `metadataText` writes. */
const written = /^\{"schemaVersion":([0-9]{1,9}),"\$correlationId":"([A-Za-z0-9._-]{1,128})"/

/** The version of a fact's data. Undefined for text in another form. */
export function versionIn(metadata: string): number | undefined {
  const version = written.exec(metadata)?.[1]
  return version === undefined ? readMetadata(metadata)?.schemaVersion : Number(version)
}

/** The id of the request that led to the fact. Undefined for text in another form. */
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

/** The hash of the fact's idempotency key, whatever else the metadata contains. */
export function keyIn(metadata: string): string | undefined {
  // Most facts have no key, and searching costs less than JSON.parse. A name may be written with escapes.
  if (!metadata.includes(keyMember) && !metadata.includes('\\')) return undefined
  return keyOnly.safeParse(parseJson(metadata)).data?.[keyMember]
}

/** Whether text from `metadataText` carries exactly this key, or no key when `key` is undefined. */
export function carriesKey(metadata: string, key: string | undefined): boolean {
  const member = `"${keyMember}":`
  return key === undefined ? !metadata.includes(member) : metadata.includes(`${member}"${key}"`)
}

/** Parses JSON. Returns undefined for other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

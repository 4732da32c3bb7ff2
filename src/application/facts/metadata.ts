import { z } from 'zod'
import { keyMember, parseJson } from './metadata-text.js'
import { keyFormat } from './stored-fact.js'

export interface FactContext {
  /** The id of the request that caused the fact. */
  readonly requestId: string
  /**
   * The SHA-256 of the command and the idempotency key, in 64 hex digits. Undefined for an append
   * without an idempotency key.
   */
  readonly keyHash: string | undefined
  /** The id of the fact that caused this fact. Absent when the request caused it directly. */
  readonly causationId?: string
}

/** The format of a request id. The id is stored with each fact that the request caused. */
export const requestIdFormat = /^[A-Za-z0-9._-]{1,128}$/

/** The schema of a fact's metadata, which is independent of the fact's type. */
export const metadataSchema = z
  .object({
    schemaVersion: z.int().min(1).meta({
      description: 'The version of the data of this fact. Each type counts its own versions.',
    }),
    $correlationId: z.string().meta({
      description: 'The id of the request that caused the fact.',
      pattern: requestIdFormat.source,
    }),
    $causationId: z
      .string()
      .meta({
        description:
          'The id of the fact that caused this fact. Absent if a request caused it directly.',
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
  .meta({ title: 'Metadata', description: 'The metadata of a fact of any type.' })

type Metadata = z.infer<typeof metadataSchema>

/** Parses the metadata of a fact. Returns undefined for text in another form. */
export function readMetadata(text: string): Metadata | undefined {
  return metadataSchema.safeParse(parseJson(text)).data
}

/** Matches the beginning of the text that `metadataText` writes. */
const written = /^\{"schemaVersion":([0-9]{1,9}),"\$correlationId":"([A-Za-z0-9._-]{1,128})"/

/** Returns the version of the fact's data. Returns undefined for text in another form. */
export function versionIn(metadata: string): number | undefined {
  const version = written.exec(metadata)?.[1]
  return version === undefined ? readMetadata(metadata)?.schemaVersion : Number(version)
}

/** Returns the id of the request that caused the fact. Returns undefined for text in another form. */
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

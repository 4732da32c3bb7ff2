import type { NodePreference } from '@eventstore/db-client'
import { z } from 'zod'

const number = z
  .string()
  .regex(/^-?\d+$/)
  .transform(Number)
const truth = z.enum(['true', 'false']).transform((value) => value === 'true')
const preferences = [
  'leader',
  'follower',
  'random',
  'read_only_replica',
] as const satisfies readonly NodePreference[]

const files = {
  tlsCAFile: z.string().optional(),
  userCertFile: z.string().optional(),
  userKeyFile: z.string().optional(),
}

/**
 * A client that finds no leader must say so while its caller still waits: discovery is not under any
 * call's deadline. `gossipTimeout` is in seconds, other times are in milliseconds.
 */
const settings = {
  connectionName: z.string().default('dossier'),
  maxDiscoverAttempts: number.default(3),
  discoveryInterval: number.default(100),
  gossipTimeout: number.default(1),
  nodePreference: z
    .string()
    .transform((value) => preferences.find((preference) => flat(preference) === flat(value)))
    .pipe(z.enum(preferences))
    .default('leader'),
  defaultDeadline: number.default(10_000),
  keepAliveInterval: number.default(10_000),
  keepAliveTimeout: number.default(10_000),
}

/** Other clients know them; they have no effect on ours. */
const ignored = { tlsVerifyCert: truth.optional(), throwOnAppendFailure: truth.optional() }

const schema = z
  .strictObject({ tls: truth.default(true), ...files, ...settings, ...ignored })
  .refine(
    ({ userCertFile, userKeyFile }) => (userCertFile === undefined) === (userKeyFile === undefined),
  )

const names = Object.keys(schema.shape)

/** The options of a connection string. */
export type ConnectionOptions = z.infer<typeof schema>

/** Undefined when a name is unknown, or a value is not of its type. */
export function parseConnectionOptions(query: string): ConnectionOptions | undefined {
  const pairs = query.split('&').filter((pair) => pair !== '')
  try {
    return schema.safeParse(Object.fromEntries(pairs.map(optionIn))).data
  } catch {
    return undefined
  }
}

/** Names are compared without case, `-` and `_`. Throws where a percent sign is no encoding. */
function optionIn(pair: string): readonly [string, string] {
  const [given = '', ...value] = pair.split('=')
  const name = names.find((name) => flat(name) === flat(given)) ?? given
  return [name, decodeURIComponent(value.join('='))]
}

function flat(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '')
}

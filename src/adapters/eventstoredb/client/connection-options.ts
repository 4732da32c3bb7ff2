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
 * The options of a connection string, and their defaults. The deadline of a call does not include
 * the discovery of a node. So the defaults make a client that finds no leader fail early.
 * `gossipTimeout` is in seconds; all other times are in milliseconds.
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

/** Options that only other clients use. They are accepted and have no effect. */
const ignored = { tlsVerifyCert: truth.optional(), throwOnAppendFailure: truth.optional() }

const schema = z
  .strictObject({ tls: truth.default(true), ...files, ...settings, ...ignored })
  .refine(
    ({ userCertFile, userKeyFile }) => (userCertFile === undefined) === (userKeyFile === undefined),
  )

const names = Object.keys(schema.shape)

/** The parsed options of a connection string. */
export type ConnectionOptions = z.infer<typeof schema>

/**
 * Parses the query of a connection string. Returns undefined for an unknown name or a value of the wrong type.
 */
export function parseConnectionOptions(query: string): ConnectionOptions | undefined {
  const pairs = query.split('&').filter((pair) => pair !== '')
  try {
    return schema.safeParse(Object.fromEntries(pairs.map(optionIn))).data
  } catch {
    return undefined
  }
}

/**
 * Parses one `name=value` pair. Names match regardless of case, `-` and `_`. Throws on an invalid percent encoding.
 */
function optionIn(pair: string): readonly [string, string] {
  const [given = '', ...value] = pair.split('=')
  const name = names.find((name) => flat(name) === flat(given)) ?? given
  return [name, decodeURIComponent(value.join('='))]
}

function flat(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '')
}

import { oneOf } from '../one-of.js'
import type { Random } from '../../../fault-injection/random.js'
import { handSegment } from './load-requests.js'
import type { ReplicaProcess, Reply } from './replica-process.js'

interface Definition {
  readonly key: string
  readonly kind: 'rule' | 'hand'
  /** The rules of its versions. Empty for a segment by hand. */
  readonly rules: readonly object[]
}

/**
 * The segments in an order in which they can be defined. The last segment refers to other segments.
 */
const definitions: readonly Definition[] = [
  { key: handSegment, kind: 'hand', rules: [] },
  { key: 'recent', kind: 'rule', rules: [logins(1), logins(2)] },
  { key: 'gold', kind: 'rule', rules: [tier('gold'), tier('silver')] },
  { key: 'lapsed-gold', kind: 'rule', rules: [lapsed(handSegment), lapsed('recent')] },
]

export const segmentKeys: readonly string[] = definitions.map(({ key }) => key)

export async function defineSegments(replica: ReplicaProcess): Promise<void> {
  for (const { key, kind, rules } of definitions) {
    const [rule] = rules
    const { status, body } = await put(replica, key, { title: key, kind, ...(rule && { rule }) })
    if (status !== 201) throw new Error(`${key}: ${String(status)} ${JSON.stringify(body)}`)
  }
}

/** Defines a new version of a random segment. Returns false when the outcome is unknown. */
export async function redefineOne(replica: ReplicaProcess, random: Random): Promise<boolean> {
  const { key, rules } = oneOf(random, definitions.slice(1))
  // The title changes, because the random rule may equal the current one.
  const title = `Version of ${String(random.between(1, 1_000_000))}`
  const sent = put(replica, key, { title, kind: 'rule', rule: oneOf(random, rules) })
  const [defined] = await Promise.allSettled([sent])
  return defined.status === 'fulfilled' && defined.value.status === 200
}

function put(replica: ReplicaProcess, key: string, body: object): Promise<Reply> {
  return replica.ask(`/segments/${key}`, { method: 'PUT', body, headers: { prefer: 'wait=0' } })
}

function logins(least: number): object {
  return { event: 'login', within: '1m', count: { gte: least } }
}

function tier(name: string): object {
  return { property: '/tier', is: { eq: name } }
}

function lapsed(segment: string): object {
  return { all: [{ segment: 'gold' }, { not: { segment } }] }
}

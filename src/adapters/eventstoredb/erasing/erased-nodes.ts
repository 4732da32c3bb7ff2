import { AccessDeniedError } from '@eventstore/db-client'
import type {
  ErasedPerson,
  ErasurePlace,
} from '../../../application/erasing/ports/erasable-streams.js'
import { Refusal } from '../../../application/ports/refusal.js'
import type { Log } from '../../../application/ports/log.js'
import { reasonOf } from '../client/answer.js'
import type { ConnectionUrl, Host } from '../client/connection-url.js'
import { StoreClient } from '../client/store-client.js'
import { withTimeout } from '../client/with-timeout.js'
import { abortable } from '../log/abortable.js'
import { readAll } from '../log/read-all.js'
import type { AllRange } from '../log/read-request.js'

/** Positions that one node is asked for at once. */
const maxReads = 16

export interface NodesOptions {
  readonly url: ConnectionUrl
  /** How long a node may take for all its answers, in milliseconds. */
  readonly timeoutMs: number
  readonly log: Log
}

type Removed = Required<Pick<ErasedPerson, 'positions'>>['positions']
type State = Pick<ErasurePlace, 'state' | 'for' | 'verified'>

const place = 'eventstoredb'
const unreachable: State = { state: 'waiting', for: 'unreachable' }

/**
 * Asks each node of the cluster whether it has an event at the positions of removed facts: a scavenge is
 * each node's own, and that one has ended proves nothing of a fact.
 */
export async function placesOf(
  positions: Removed,
  options: NodesOptions,
  signal: AbortSignal,
): Promise<readonly ErasurePlace[]> {
  if (positions.length === 0) {
    const verified =
      'the log had nothing of the person when it was read: nothing else was looked at'
    return [{ place, state: 'purged', verified }]
  }
  const { url } = options
  const members = await membersOf(options, signal)
  // A single node may give an address that is not to be reached from here.
  const nodes = members.length > 1 ? members.map((host) => nodeAt(host, url)) : [url]
  return Promise.all(
    nodes.map(async (node) => ({
      place,
      node: node.hosts.map(nameOf).join(),
      ...(await stateOf(positions, { ...options, url: node }, signal)),
    })),
  )
}

function nodeAt(host: Host, url: ConnectionUrl): ConnectionUrl {
  return { ...url, discovery: 'fixed', hosts: [host], shown: nameOf(host) }
}

/** None where the user may not know them. Rejects with `store_unavailable`. */
async function membersOf(
  { url, timeoutMs }: NodesOptions,
  signal: AbortSignal,
): Promise<readonly Host[]> {
  const client = new StoreClient(url)
  try {
    const members = client.members(url.credentials, timeoutMs)
    return await withTimeout(timeoutMs, abortable(signal, members))
  } catch (cause) {
    if (cause instanceof AccessDeniedError) return []
    throw new Refusal('store_unavailable', reasonOf(cause), { cause })
  } finally {
    void client.close()
  }
}

async function stateOf(
  positions: Removed,
  { url, timeoutMs, log }: NodesOptions,
  signal: AbortSignal,
): Promise<State> {
  const client = new StoreClient(url)
  const options = { credentials: url.credentials, timeoutMs, ofAnyNode: true }
  const read = (range: AllRange) => readAll(client, range, options)
  try {
    return await withTimeout(timeoutMs, abortable(signal, lookFor(positions, read)))
  } catch (error) {
    signal.throwIfAborted()
    log.warn(
      { node: url.shown, reason: reasonOf(error) },
      'a node does not say whether facts of an erased person are gone',
    )
    return unreachable
  } finally {
    void client.close()
  }
}

/** At the position of an event that a scavenge removed is the next one that is left. */
async function lookFor(
  positions: Removed,
  read: (range: AllRange) => ReturnType<typeof readAll>,
): Promise<State> {
  const all = positions.map(Number).sort((one, other) => one - other)
  const [end] = await read({ from: 'end', maxCount: 1 })
  // It lags behind the others: what it does not have yet may still come.
  if ((end?.commit ?? 0) < (all.at(-1) ?? 0)) return unreachable
  const has = async (position: number) => {
    const from = { commit: BigInt(position), prepare: BigInt(position) }
    const [found] = await read({ from, maxCount: 1 })
    return found?.commit === position
  }
  for (let first = 0; first < all.length; first += maxReads) {
    const found = await Promise.all(all.slice(first, first + maxReads).map(has))
    if (found.includes(true)) return { state: 'waiting', for: 'scavenge' }
  }
  const count = String(all.length)
  return {
    state: 'purged',
    verified: `the node has nothing at ${count} positions of removed facts, the first and the last among them`,
  }
}

function nameOf({ address, port }: Host): string {
  return `${address}:${String(port)}`
}

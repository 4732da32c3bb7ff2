import { AccessDeniedError } from '@eventstore/db-client'
import type { ErasurePlace } from '../../../application/erasing/ports/erasable.js'
import { reasonOf, type Log } from '../../../application/ports/log.js'
import { Refusal } from '../../../application/ports/refusal.js'
import type { ConnectionUrl, Host } from '../client/connection-url.js'
import { StoreClient } from '../client/store-client.js'
import { withTimeout } from '../client/with-timeout.js'
import { abortable } from '../log/abortable.js'
import { readAll } from '../log/read-all.js'
import { positionAt, type LogEvent } from '../log/read-response.js'
import { latePositions } from './late-events.js'

/** The maximum number of concurrent reads on one node. */
const maxReads = 16
/** The timeout for all reads on one node together, in milliseconds. */
const maxNodeMs = 30_000

export interface NodesOptions {
  readonly url: ConnectionUrl
  /** The timeout of one call to a node, in milliseconds. */
  readonly timeoutMs: number
  readonly log: Log
}

type State = Pick<ErasurePlace, 'state' | 'for' | 'verified'>

const place = 'eventstoredb'
const unreachable: State = { state: 'waiting', for: 'unreachable' }

/**
 * Checks on each node of the cluster whether events remain at the positions of removed facts. Each
 * node scavenges on its own, and a finished scavenge does not prove that a given fact is gone.
 * Connections stay open, because waiting erasures are checked repeatedly.
 */
export class ErasedNodes {
  private readonly clients = new Map<string, StoreClient>()
  /** The last logged failure of each node, by node name. */
  private readonly failures = new Map<string, string>()

  constructor(private readonly options: NodesOptions) {}

  /**
   * Returns, for each node, whether the removed facts are gone. Rejects with `store_unavailable`,
   * and with the reason of the signal.
   */
  async placesOf(
    positions: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly ErasurePlace[]> {
    if (positions.length === 0) {
      const verified =
        'the log had nothing of the entity when it was read: nothing else was looked at'
      return [{ place, state: 'purged', verified }]
    }
    const { url } = this.options
    const members = await this.members(signal)
    // A single node may advertise an address that is unreachable from here. Such a node is read at
    // the configured URL, and its advertised address is only its name in the result.
    const named = members.map((host) => nodeAt(host, url))
    const nodes = named.length > 1 ? named : [url]
    return Promise.all(
      nodes.map(async (node, index) => ({
        place,
        node: nameOf(named[index] ?? node),
        ...(await this.stateOf(positions, node, signal)),
      })),
    )
  }

  /**
   * Calls `latePositions` with a time limit. Rejects with `store_unavailable`, and with the reason
   * of the signal.
   */
  async latePositions(erasure: LogEvent, signal: AbortSignal): Promise<readonly string[]> {
    const { url, timeoutMs } = this.options
    const client = this.clientOf(url)
    const ending = AbortSignal.any([signal, AbortSignal.timeout(maxNodeMs)])
    try {
      const options = { credentials: url.credentials, timeoutMs }
      return (await latePositions(client, erasure, options, ending)).map(String)
    } catch (cause) {
      signal.throwIfAborted()
      this.leave(url, client)
      throw new Refusal('store_unavailable', reasonOf(cause), { cause })
    }
  }

  /** Closes all connections. Call this method only after all calls have ended. */
  async close(): Promise<void> {
    await Promise.all([...this.clients.values()].map((client) => client.close()))
  }

  /** Returns the nodes of the cluster, or an empty list when the user may not see them. */
  private async members(signal: AbortSignal): Promise<readonly Host[]> {
    const { url, timeoutMs } = this.options
    const client = this.clientOf(url)
    try {
      const members = client.members(url.credentials, timeoutMs)
      return await withTimeout(timeoutMs, abortable(signal, members))
    } catch (cause) {
      signal.throwIfAborted()
      if (cause instanceof AccessDeniedError) return []
      this.leave(url, client)
      throw new Refusal('store_unavailable', reasonOf(cause), { cause })
    }
  }

  private async stateOf(
    positions: readonly string[],
    node: ConnectionUrl,
    signal: AbortSignal,
  ): Promise<State> {
    const client = this.clientOf(node)
    const read = (from: number | 'end') => this.read(client, from)
    try {
      const finding = findFacts(positions, read, signal)
      const state = await withTimeout(maxNodeMs, abortable(signal, finding))
      this.failures.delete(nameOf(node))
      return state
    } catch (error) {
      signal.throwIfAborted()
      this.note(nameOf(node), reasonOf(error))
      this.leave(node, client)
      return unreachable
    }
  }

  /**
   * Returns the position of the first event at or after `from` on the node. With `end`, returns the
   * position of the last event.
   */
  private async read(client: StoreClient, from: number | 'end'): Promise<number | undefined> {
    const { timeoutMs, url } = this.options
    const options = { credentials: url.credentials, timeoutMs, ofAnyNode: true }
    const at = from === 'end' ? from : positionAt(from)
    const [found] = await readAll(client, { from: at, maxCount: 1 }, options)
    return found?.commit
  }

  private clientOf(node: ConnectionUrl): StoreClient {
    const client = this.clients.get(keyOf(node)) ?? new StoreClient(node)
    this.clients.set(keyOf(node), client)
    return client
  }

  /** Drops the client, so that the next call opens a new connection. */
  private leave(node: ConnectionUrl, client: StoreClient): void {
    if (this.clients.get(keyOf(node)) === client) this.clients.delete(keyOf(node))
    void client.close()
  }

  /** Logs a failure of a node. Does not repeat it until the reason changes. */
  private note(node: string, reason: string): void {
    if (reason === this.failures.get(node)) return
    this.failures.set(node, reason)
    const message = 'a node did not say whether facts of erased entities are gone'
    this.options.log.warn({ node, reason }, message)
  }
}

/**
 * Checks whether an event remains at each position. A read at a scavenged position returns the next
 * remaining event instead.
 */
async function findFacts(
  positions: readonly string[],
  read: (from: number | 'end') => Promise<number | undefined>,
  signal: AbortSignal,
): Promise<State> {
  const all = positions.map(Number).sort((one, other) => one - other)
  const end = await read('end')
  // Reports the node as unreachable while it lags behind the leader, because a removed fact may
  // still arrive at the node.
  if ((end ?? 0) < (all.at(-1) ?? 0)) return unreachable
  for (let first = 0; first < all.length && !signal.aborted; first += maxReads) {
    const some = all.slice(first, first + maxReads)
    const found = await Promise.all(some.map(read))
    if (found.some((position, index) => position === some[index])) {
      return { state: 'waiting', for: 'scavenge' }
    }
  }
  const count = String(all.length)
  return {
    state: 'purged',
    verified: `the node has nothing at ${count} positions of removed facts, the first and the last among them`,
  }
}

function nodeAt(host: Host, url: ConnectionUrl): ConnectionUrl {
  return { ...url, discovery: 'fixed', hosts: [host] }
}

/**
 * Returns the key of a node's client. The key contains the kind of discovery, because a URL with
 * discovery may lead to another node, the leader.
 */
function keyOf(node: ConnectionUrl): string {
  return `${node.discovery} ${nameOf(node)}`
}

function nameOf({ hosts }: ConnectionUrl): string {
  return hosts.map(({ address, port }) => `${address}:${String(port)}`).join()
}

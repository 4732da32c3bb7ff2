import {
  AccessDeniedError,
  StreamDeletedError,
  type ChannelCredentialOptions,
  type Credentials,
  type EventStoreDBClient,
} from '@eventstore/db-client'
import type { BatchCall } from '../append/batch-stream.js'
import { ChannelClient, tlsOf } from './channel-client.js'
import type { ConnectionUrl, Host } from './connection-url.js'
import { permissionDenied } from './answer.js'
import { probeStream } from './probe-stream.js'
import { readAll } from '../log/read-all.js'
import { isTimeout } from './with-timeout.js'

/** The timeout of a leader check, in milliseconds. A check that times out does not block appends. */
const maxProbeMs = 1_000

/**
 * Makes all calls to EventStoreDB. Replaces its inner client when that client has given up its node.
 *
 * Map of this folder:
 * - `connection-url`, `connection-options`: parsing of the connection string.
 * - `store-client`, `channel-client`: connections, discovery of nodes, and calls.
 * - `read-calls`: read calls over gRPC, for reads and subscriptions.
 * - `answer`, `with-timeout`: the meaning of errors, and timeouts.
 * - `metastream`, `probe-stream`: names of special streams.
 */
export class StoreClient {
  private readonly tls: ChannelCredentialOptions
  private client: ChannelClient

  /**
   * Creates the client. The first call opens the connection. Throws when a file that the URL names cannot be read.
   */
  constructor(private readonly url: ConnectionUrl) {
    this.tls = tlsOf(url.options)
    this.client = new ChannelClient(url, this.tls)
  }

  call<T>(make: (client: EventStoreDBClient) => T): T {
    return this.usable.call(make)
  }

  /**
   * Opens a gRPC call that carries many appends. Rejects with `ServerTooOld` or errors of the client. With
   * `checkLeaderFirst`, first reads from the leader, which proves the connection and the user. During an election, the
   * server ends a call without saying which appends it refused, so their outcomes would be unknown. The check avoids
   * opening such a call.
   */
  async batchCall(credentials: Credentials, checkLeaderFirst: boolean): Promise<BatchCall> {
    if (checkLeaderFirst) await this.checkLeader(credentials)
    return this.usable.batchCall(credentials)
  }

  /** Returns the nodes of the cluster. `deadline` is in milliseconds. */
  members(credentials: Credentials, deadline: number): Promise<readonly Host[]> {
    return this.usable.members(credentials, deadline)
  }

  /** Closes the connection. Running calls may fail. */
  async close(): Promise<void> {
    await this.client.close()
  }

  /**
   * Returns the client for the next call. Replaces a client that has given up its channel. That
   * client needs no closing: its channel is closed, and its running calls end.
   */
  get usable(): ChannelClient {
    if (this.client.isSpent) this.client = new ChannelClient(this.url, this.tls)
    return this.client
  }

  private async checkLeader(credentials: Credentials): Promise<void> {
    const range = { stream: probeStream, from: 'end', maxCount: 1 } as const
    try {
      await readAll(this, range, { credentials, timeoutMs: maxProbeMs })
    } catch (error) {
      if (!isTimeout(error) && !isOfStream(error)) throw error
    }
  }
}

/**
 * Returns whether the error is about the stream. Only a leader reports such an error, so the error
 * proves that the server is the leader.
 */
function isOfStream(error: unknown): boolean {
  if (error instanceof AccessDeniedError) return Number(error.code) === permissionDenied
  return error instanceof StreamDeletedError
}

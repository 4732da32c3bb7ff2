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

/**
 * The timeout of a leader probe in milliseconds. A timed-out probe proves nothing and blocks no
 * append.
 */
const maxProbeMs = 1_000

/**
 * Makes all calls to EventStoreDB. A new inner client replaces one that has given up its node.
 *
 * Map of this folder:
 * - `connection-url`, `connection-options`: parsing of the connection string.
 * - `store-client`, `channel-client`: connections, discovery of nodes, and calls.
 * - `read-calls`: read calls over gRPC, used for reads and subscriptions.
 * - `answer`, `with-timeout`: the meaning of errors, and time limits.
 * - `metastream`, `probe-stream`: names of special streams.
 */
export class StoreClient {
  private readonly tls: ChannelCredentialOptions
  private client: ChannelClient

  /** The first call opens the connection. Throws when a file that the URL names cannot be read. */
  constructor(private readonly url: ConnectionUrl) {
    this.tls = tlsOf(url.options)
    this.client = new ChannelClient(url, this.tls)
  }

  call<T>(make: (client: EventStoreDBClient) => T): T {
    return this.usable.call(make)
  }

  /**
   * Opens a call that carries many appends. Rejects with `ServerTooOld` or with errors of the
   * client. `checkLeaderFirst` first reads from the leader to prove the connection and the user.
   * The check matters because an election ends whole calls without saying which appends were
   * refused.
   */
  async batchCall(credentials: Credentials, checkLeaderFirst: boolean): Promise<BatchCall> {
    if (checkLeaderFirst) await this.checkLeader(credentials)
    return this.usable.batchCall(credentials)
  }

  /** The nodes of the cluster. */
  members(credentials: Credentials, deadline: number): Promise<readonly Host[]> {
    return this.usable.members(credentials, deadline)
  }

  /** Closes the connection. Call this method only when no running call matters. */
  async close(): Promise<void> {
    await this.client.close()
  }

  /**
   * The client for the next call, replaced when spent. A spent client needs no closing: its channel
   * is closed, and its running calls end.
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

/** Whether the error concerns the stream. Only a leader gives such an answer. */
function isOfStream(error: unknown): boolean {
  if (error instanceof AccessDeniedError) return Number(error.code) === permissionDenied
  return error instanceof StreamDeletedError
}

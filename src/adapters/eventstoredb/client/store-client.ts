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

/** A probe that takes longer proves nothing, and forbids no append, in milliseconds. */
const maxProbeMs = 1_000

/** Makes all calls to EventStoreDB, with a new client where the last one gave up its node. */
export class StoreClient {
  private readonly tls: ChannelCredentialOptions
  private client: ChannelClient

  /** Connects with the first call. Throws when a file that the URL names cannot be read. */
  constructor(private readonly url: ConnectionUrl) {
    this.tls = tlsOf(url.options)
    this.client = new ChannelClient(url, this.tls)
  }

  call<T>(make: (client: EventStoreDBClient) => T): T {
    return this.usable.call(make)
  }

  /**
   * A call that takes many appends. Rejects with the reason why there is none: `ServerTooOld`, or what
   * the client throws. With `checkLeaderFirst`, a read first proves the connection, the user and that this node
   * leads: an election ends whole calls, and does not say which appends it refused.
   */
  async batchCall(credentials: Credentials, checkLeaderFirst: boolean): Promise<BatchCall> {
    if (checkLeaderFirst) await this.checkLeader(credentials)
    return this.usable.batchCall(credentials)
  }

  /** The nodes of the cluster. */
  members(credentials: Credentials, deadline: number): Promise<readonly Host[]> {
    return this.usable.members(credentials, deadline)
  }

  /** To be called when no call is under way that matters. */
  async close(): Promise<void> {
    await this.client.close()
  }

  /**
   * What makes the next call: another one from time to time. A spent client needs no closing: it has closed
   * its channel, and what is under way on it ends.
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

/** Who says so leads. */
function isOfStream(error: unknown): boolean {
  if (error instanceof AccessDeniedError) return Number(error.code) === permissionDenied
  return error instanceof StreamDeletedError
}

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  convertToCommandError,
  EventStoreDBClient,
  UnavailableError,
  type ChannelCredentialOptions,
  type Credentials,
} from '@eventstore/db-client'
import { GossipClient } from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import gossip from '@eventstore/db-client/generated/gossip_pb.js'
import type { MemberInfo } from '@eventstore/db-client/generated/gossip_pb.js'
import { ServerFeaturesClient } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import { StreamsClient, StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import {
  connectivityState,
  type Channel,
  type ClientReadableStream,
  type Metadata,
} from '@grpc/grpc-js'
import type { BatchCall } from '../append/batch-stream.js'
import { reasonOf, ServerTooOld } from './answer.js'
import type { ConnectionOptions } from './connection-options.js'
import type { ConnectionUrl, Host } from './connection-url.js'
import { readOver, wideStreams, type Read } from './read-calls.js'

/**
 * The official EventStoreDB client, with access to the channel of its calls.
 *
 * If this client discovers nodes, replace it as soon as it has given up its first channel (`isSpent`). Otherwise the
 * client would start a new discovery. If a call fails during that discovery and the discovery fails as well, an
 * unhandled rejection ends the process.
 */
export class ChannelClient extends EventStoreDBClient {
  private readonly discovers: boolean
  private readonly options: ConnectionOptions
  private readonly tls: ChannelCredentialOptions
  /** The channel of the latest call. The client has given up all earlier channels. */
  private channel: Channel | undefined
  private readonly reads = new Set<{ cancel(): void }>()
  private isClosed = false

  constructor({ discovery, hosts, options }: ConnectionUrl, tls: ChannelCredentialOptions) {
    const [host = { address: '', port: 0 }] = hosts
    // Sets `throwOnAppendFailure` after the options of the URL, because the code for appends relies
    // on thrown errors.
    const settings = { ...options, throwOnAppendFailure: true }
    if (discovery === 'fixed') super({ ...settings, endpoint: host }, tls)
    else if (discovery === 'dns') super({ ...settings, discover: host }, tls)
    else super({ ...settings, endpoints: [...hosts] }, tls)
    this.discovers = discovery !== 'fixed'
    this.options = options
    this.tls = tls
  }

  /** Whether the client's next call would start a discovery. The next call then needs a new client. */
  get isSpent(): boolean {
    const state = this.channel?.getConnectivityState(false)
    return this.discovers && state === connectivityState.SHUTDOWN
  }

  /** Makes a call, and stores the channel of the call so that `close` can close the channel. */
  call<T>(make: (client: EventStoreDBClient) => T): T {
    const made = make(this)
    // Calls `getChannel` in the same tick, so the client returns the channel of this call and
    // starts no discovery.
    this.getChannel().then(
      (channel) => {
        this.keep(channel)
      },
      // Ignores the error: the call fails with the same error and reports it, and there is no
      // channel to store.
      () => undefined,
    )
    return made
  }

  /**
   * Opens a gRPC call that carries many appends. Rejects with `ServerTooOld` when the server lacks `BatchAppend`.
   */
  batchCall(credentials: Credentials): Promise<BatchCall> {
    const open = async (streams: StreamsClient) => {
      await this.assertBatchAppend()
      const call = streams.batchAppend(
        ...this.callArguments({ credentials, requiresLeader: true }, { deadline: Infinity }),
      )
      call.on('error', (error) => {
        void this.handleError(streams, error)
      })
      return {
        call,
        leaveNode: () => {
          void this.handleError(streams, new UnavailableError())
        },
      }
    }
    return this.call(() => this.execute(StreamsClient, 'batchAppend', open))
  }

  /** Rejects with `ServerTooOld` when the server lacks `BatchAppend`. */
  async assertBatchAppend(): Promise<void> {
    if (!(await this.hasBatchAppend())) throw new ServerTooOld()
  }

  /** Opens a read call that ends after `timeoutMs`. */
  readCall<T>(read: Read<T>, timeoutMs: number): Promise<ClientReadableStream<T>> {
    const open = (streams: StreamsClient) => {
      const { credentials, ofAnyNode = false } = read
      const requiresLeader = !ofAnyNode
      const args = this.callArguments({ credentials, requiresLeader, deadline: timeoutMs })
      return Promise.resolve(this.ownRead(readOver(streams, read, args), streams))
    }
    return this.call(() => this.execute(StreamsClient, 'read', open))
  }

  /**
   * Opens a read call that runs until it is cancelled. The call uses its own connection to the node
   * of this client, because the flow control window of this client's other connections is only 64
   * KiB.
   */
  subscribeCall<T>(read: Read<T>): Promise<ClientReadableStream<T>> {
    const open = (streams: StreamsClient) => {
      const { credentials } = read
      const args = this.callArguments({ credentials, requiresLeader: true }, { deadline: Infinity })
      const wide = wideStreams(streams.getChannel().getTarget(), this.tls, this.options)
      const call = readOver(wide, read, args)
      call.once('status', () => {
        wide.close()
      })
      return Promise.resolve(this.ownRead(call, streams))
    }
    return this.call(() => this.execute(StreamsClient, 'subscribe', open))
  }

  /**
   * Registers a read, so that `close` can cancel the read. When an error of the read shows that the
   * node is unusable, the client leaves that node.
   */
  private ownRead<T>(
    call: ClientReadableStream<T>,
    streams: StreamsClient,
  ): ClientReadableStream<T> {
    call.on('error', (error) => {
      void this.handleError(streams, error)
    })
    this.reads.add(call)
    call.once('status', () => this.reads.delete(call))
    // Cancels the call if the client was closed while it discovered a node.
    if (this.isClosed) call.cancel()
    return call
  }

  /**
   * Returns the date header of the reply to a minimal call, in milliseconds since 1970. `deadline` limits the call
   * in milliseconds. It does not limit the discovery of a node before the call.
   */
  replyDate(deadline: number): Promise<number> {
    const request = (features: ServerFeaturesClient) =>
      new Promise<number>((resolve, reject) => {
        const [metadata, options] = this.callArguments({ deadline })
        // Returns the date as soon as the headers arrive. The body arrives later and is ignored.
        const call = features.getSupportedMethods(
          new shared.Empty(),
          metadata,
          options,
          (error) => {
            reject(error ?? new Error('the reply has no date'))
          },
        )
        call.on('metadata', (headers: Metadata) => {
          const date = dateIn(headers)
          if (date !== undefined) resolve(date)
        })
      })
    return this.call(() => this.execute(ServerFeaturesClient, 'replyDate', request))
  }

  /**
   * Returns the nodes of the cluster that the connected node knows. `deadline` limits the call in
   * milliseconds. It does not limit the discovery of a node before the call.
   */
  members(credentials: Credentials, deadline: number): Promise<readonly Host[]> {
    const request = (client: GossipClient) =>
      new Promise<readonly Host[]>((resolve, reject) => {
        const args = this.callArguments({ credentials, deadline })
        client.read(new shared.Empty(), ...args, (error, info) => {
          if (error === null) resolve(info.getMembersList().flatMap(hostOf))
          else reject(convertToCommandError(error))
        })
      })
    return this.call(() => this.execute(GossipClient, 'members', request))
  }

  /**
   * Cancels all streams and closes the channel. If a running discovery or call creates a channel
   * after that, closes the new channel immediately.
   */
  async close(): Promise<void> {
    this.isClosed = true
    const streamsEnded = this.dispose()
    for (const read of this.reads) read.cancel()
    this.channel?.close()
    await streamsEnded
  }

  private keep(channel: Channel): void {
    if (this.channel !== channel) this.channel?.close()
    this.channel = channel
    if (this.isClosed) channel.close()
  }

  private async hasBatchAppend(): Promise<boolean> {
    try {
      // Throws instead of asking a channel that was given up, because the client would cache the
      // failed answer.
      if (this.isSpent) throw new Error('the connection was given up')
      return await this.call(() => this.supports(StreamsService.batchAppend))
    } catch (error) {
      throw new UnavailableError(undefined, reasonOf(error))
    }
  }
}

/** Returns a list with the host of a cluster member. The list is empty for a manager process, which stores no facts. */
function hostOf(member: MemberInfo): readonly Host[] {
  const at = member.getHttpEndPoint()
  const isNode = member.getState() !== gossip.MemberInfo.VNodeState.MANAGER
  return isNode && at !== undefined ? [{ address: at.getAddress(), port: at.getPort() }] : []
}

function dateIn(headers: Metadata): number | undefined {
  const date = Date.parse(String(headers.get('date')[0]))
  return Number.isNaN(date) ? undefined : date
}

/**
 * Returns the TLS settings of a connection. Throws when a file that the options name is not
 * readable.
 */
export function tlsOf(options: ConnectionOptions): ChannelCredentialOptions {
  const { tls, tlsCAFile: ca, userCertFile: cert, userKeyFile: key } = options
  if (!tls) return { insecure: true }
  return {
    insecure: false,
    ...(ca !== undefined && { rootCertificate: contentOf(ca) }),
    ...(cert !== undefined && { userCertFile: contentOf(cert) }),
    ...(key !== undefined && { userKeyFile: contentOf(key) }),
  }
}

function contentOf(file: string): Buffer {
  return readFileSync(resolve(file))
}

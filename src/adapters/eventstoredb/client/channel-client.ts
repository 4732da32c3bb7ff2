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
 * EventStoreDB's client, and the channel that its calls go over.
 *
 * A client that discovers its node is used until it gives up its first channel (`isSpent`). Were it
 * used on, a call that fails while the client discovers another node would make it wait for that
 * discovery, with nobody to handle a failure of it: an unhandled rejection, which ends the process.
 */
export class ChannelClient extends EventStoreDBClient {
  private readonly discovers: boolean
  private readonly options: ConnectionOptions
  private readonly tls: ChannelCredentialOptions
  /** That of the latest call: the client has given up those before it. */
  private channel: Channel | undefined
  private readonly reads = new Set<{ cancel(): void }>()
  private isClosed = false

  constructor({ discovery, hosts, options }: ConnectionUrl, tls: ChannelCredentialOptions) {
    const [host = { address: '', port: 0 }] = hosts
    // Whether a refused append throws is for the code that calls, not for the URL.
    const settings = { ...options, throwOnAppendFailure: true }
    if (discovery === 'fixed') super({ ...settings, endpoint: host }, tls)
    else if (discovery === 'dns') super({ ...settings, discover: host }, tls)
    else super({ ...settings, endpoints: [...hosts] }, tls)
    this.discovers = discovery !== 'fixed'
    this.options = options
    this.tls = tls
  }

  /** It would discover a node for its next call: that call belongs to a new client. */
  get isSpent(): boolean {
    const state = this.channel?.getConnectivityState(false)
    return this.discovers && state === connectivityState.SHUTDOWN
  }

  /** Makes a call, and keeps the channel that it goes over so that it is closed for certain. */
  call<T>(make: (client: EventStoreDBClient) => T): T {
    const made = make(this)
    // In the same tick the client gives the channel of that call, and does not look for another.
    this.getChannel().then(
      (channel) => {
        this.keep(channel)
      },
      // No channel came about. The call fails with the same error, and its caller gets it.
      () => undefined,
    )
    return made
  }

  /** A call that takes many appends. Rejects with `ServerTooOld` when the server does not offer one. */
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

  /** Rejects with `ServerTooOld` when the server does not offer `BatchAppend`. */
  async assertBatchAppend(): Promise<void> {
    if (!(await this.hasBatchAppend())) throw new ServerTooOld()
  }

  /** A call that reads, which ends after `timeoutMs` milliseconds. */
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
   * A call that reads until it is cancelled, over a connection of its own to the node that the client
   * uses: the client's connections let a server send no more than 64 KiB ahead.
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

  /** It is cancelled when the client is closed, and a node that is not usable is left after it. */
  private ownRead<T>(
    call: ClientReadableStream<T>,
    streams: StreamsClient,
  ): ClientReadableStream<T> {
    call.on('error', (error) => {
      void this.handleError(streams, error)
    })
    this.reads.add(call)
    call.once('status', () => this.reads.delete(call))
    // It was closed while it looked for a node.
    if (this.isClosed) call.cancel()
    return call
  }

  /**
   * The date of a reply to the smallest of all calls, in milliseconds since 1970. The call itself ends
   * after `deadline` milliseconds; looking for a node comes before that.
   */
  replyDate(deadline: number): Promise<number> {
    const request = (features: ServerFeaturesClient) =>
      new Promise<number>((resolve, reject) => {
        const [metadata, options] = this.callArguments({ deadline })
        // A reply begins with its headers; what comes later finds the promise settled.
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
   * The nodes of the cluster, as the one that is used knows them. The call itself ends after `deadline`
   * milliseconds; looking for a node comes before that.
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
   * Cancels its streams and closes its channel. A channel that comes later, from a discovery that is
   * under way or for another call, is closed when it comes.
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
      // The client keeps a failed answer with its channel: a channel that was given up is not asked.
      if (this.isSpent) throw new Error('the connection was given up')
      return await this.call(() => this.supports(StreamsService.batchAppend))
    } catch (error) {
      throw new UnavailableError(undefined, reasonOf(error))
    }
  }
}

/** A manager of nodes has no facts. */
function hostOf(member: MemberInfo): readonly Host[] {
  const at = member.getHttpEndPoint()
  const isNode = member.getState() !== gossip.MemberInfo.VNodeState.MANAGER
  return isNode && at !== undefined ? [{ address: at.getAddress(), port: at.getPort() }] : []
}

function dateIn(headers: Metadata): number | undefined {
  const date = Date.parse(String(headers.get('date')[0]))
  return Number.isNaN(date) ? undefined : date
}

/** Reads the files that the options name. Throws when one cannot be read. */
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

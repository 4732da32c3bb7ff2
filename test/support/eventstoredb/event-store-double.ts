import { readFileSync } from 'node:fs'
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { batchAppend } from './batch-append.js'
import { Committer } from './committer.js'
import { Connections } from './connections.js'
import { DateHeader } from './date-header.js'
import { deleteStream, tombstoneStream } from './delete-stream.js'
import { gossipMembers, supportedMethods } from './describe-node.js'
import { Disk, systemEvent } from './disk.js'
import { Faults } from './faults.js'
import { IdCache } from './id-cache.js'
import type { Member, Node, Subscription } from './node.js'
import { CommitTimeout } from './commit-timeout.js'
import { DEFAULT_LIMITS, type SizeLimits } from './proposed-event.js'
import { readEvents } from './read-events.js'
import type { StoredRecord } from './record.js'
import { tooSlow } from './subscribe.js'
import type { Endpoint } from './wire-error.js'
import { Writer } from './writer.js'

const DEFAULT_HEAD_READ_MS = 5
const MAX_MESSAGE = 17 * 1024 * 1024

export interface DoubleOptions {
  /** The port. 0, the default, picks a free one. */
  readonly port?: number
  /** The disk. Reuse the disk of another double to simulate a restart of that server. */
  readonly disk?: Disk
  /** The delay between write and commit, in milliseconds. */
  readonly commitDelayMs?: number
  /** The time that an append waits for its commit before the answer "Commit phase timeout", in milliseconds. */
  readonly commitTimeoutMs?: number
  /**
   * The duration of a read of the end of `$all`, in milliseconds. A real server takes 3 to 7. An immediate answer
   * would hide timeouts that are too short.
   */
  readonly headReadMs?: number
  /** False simulates a server before 21.10, which has no BatchAppend. */
  readonly batchAppend?: boolean
  /** The size limits that the server is started with (`--max-append-size`, `--max-append-event-size`). */
  readonly limits?: Partial<SizeLimits>
  /** TLS files. With TLS, each client has its own connection and shares it with no other client. */
  readonly tls?: TlsFiles
}

/** The key and certificate of a node, as PEM files. The certificate is its own authority. */
export interface TlsFiles {
  readonly keyFile: string
  readonly certFile: string
}

/** A handle for commits that a test has stopped. */
export interface HeldCommits {
  /** Commits everything that was written in the meantime. */
  release(): void
  /** Answers "Commit phase timeout" to all waiting appends. Their events stay written. */
  expire(): void
}

/**
 * Simulates EventStoreDB on 127.0.0.1 for tests. Speaks the real protocol, with the rules of 23.10 and the stricter
 * size limits of 24.10.4. Facts survive a restart. Tests can inject faults.
 */
export class EventStoreDouble {
  /** Faults that the next calls will meet. */
  readonly faults = new Faults()
  readonly disk: Disk
  private readonly ids = new IdCache()
  private readonly committer: Committer
  private readonly writer: Writer
  private readonly commitTimeout: CommitTimeout
  private readonly connections: Connections
  private readonly date = new DateHeader()
  private readonly server = new Server({
    interceptors: [this.date.interceptor],
    'grpc.max_receive_message_length': MAX_MESSAGE,
    'grpc.max_send_message_length': -1,
  })
  private readonly subscriptions = new Set<Subscription>()
  private clusterMembers: readonly Member[] | undefined
  private leader: Endpoint | undefined
  private epoch = 0

  private constructor(private readonly options: DoubleOptions) {
    this.disk = options.disk ?? new Disk()
    this.committer = new Committer(this.disk, options.commitDelayMs ?? 1)
    this.writer = new Writer(this.disk, this.committer, this.ids)
    this.commitTimeout = new CommitTimeout(options.commitTimeoutMs ?? 2_000)
    const injector = this.server.createConnectionInjector(credentialsOf(options.tls))
    this.connections = new Connections(options.port ?? 0, (socket) => {
      injector.injectConnection(socket)
    })
    this.serve(options.batchAppend ?? true)
  }

  /** Resolves with a double that is listening. */
  static async start(options: DoubleOptions = {}): Promise<EventStoreDouble> {
    const double = new EventStoreDouble(options)
    await double.connections.listen()
    return double
  }

  get port(): number {
    return this.connections.port
  }

  get connectionString(): string {
    return connectionStringOf(this.port, this.options.tls)
  }

  /** The number of open connections. */
  get connectionCount(): number {
    return this.connections.count
  }

  /** Returns the committed records, oldest first, including system events. */
  records(stream?: string): readonly StoredRecord[] {
    const all = this.disk.committedRecords()
    return stream === undefined ? all : all.filter((record) => record.stream === stream)
  }

  /** Stops commits until `release`. Appends are written, stay invisible, and time out. */
  holdCommits(): HeldCommits {
    this.committer.hold()
    return {
      release: () => {
        this.committer.release()
      },
      expire: () => {
        this.commitTimeout.expire()
      },
    }
  }

  /** Removes everything that cannot be read from `$all`, and records this in `$all`. */
  scavenge(): void {
    this.disk.scavenge((record) => this.writer.keeps(record))
    this.disk.write(
      '$scavengePoints',
      this.writer.next('$scavengePoints'),
      systemEvent('$scavengePoint', '{}'),
    )
    this.disk.commit(this.disk.written)
  }

  /** Cuts every connection. New connections are accepted. */
  dropConnections(): void {
    this.connections.cutAll()
  }

  /** Cuts every connection and refuses new ones until `listen`. */
  refuseConnections(): Promise<void> {
    return this.connections.refuse()
  }

  /** Accepts connections again, on the same port. */
  listen(): Promise<void> {
    return this.connections.listen()
  }

  /**
   * Simulates a restart on the same disk: cuts connections, and forgets remembered ids and planned faults.
   * Uncommitted records are kept, or lost as on a replaced leader.
   */
  async restart({ uncommitted = 'keep' }: { uncommitted?: 'keep' | 'lose' } = {}): Promise<void> {
    this.epoch += 1
    await this.connections.refuse()
    this.subscriptions.clear()
    this.faults.clear()
    this.committer.restart(uncommitted)
    this.ids.clear()
    await this.connections.listen()
  }

  /** Drops every subscription, as the server drops a slow consumer. */
  dropSubscriptions(): void {
    for (const subscription of [...this.subscriptions]) subscription.fail(tooSlow())
  }

  /** Sets how far the double's clock is ahead of this machine's clock, in milliseconds. Negative: it lags. */
  bendClock(aheadMs: number): void {
    this.date.bend(aheadMs)
  }

  /**
   * Makes another node the leader: calls that require the leader are redirected to it. Undefined: this node leads.
   */
  reportLeader(leader?: Endpoint): void {
    this.leader = leader
  }

  /** Sets the members that gossip reports. Undefined: this node is the only member and leads. */
  reportMembers(members: readonly Member[] | undefined): void {
    this.clusterMembers = members
  }

  async close(): Promise<void> {
    this.epoch += 1
    await this.connections.refuse()
    this.faults.clear()
    this.committer.restart('keep')
    this.server.forceShutdown()
  }

  private serve(batches: boolean): void {
    const node = this.node()
    this.server.addService(StreamsService, {
      read: readEvents(node),
      delete: deleteStream(node),
      tombstone: tombstoneStream(node),
      ...(batches && { batchAppend: batchAppend(node) }),
    })
    this.server.addService(ServerFeaturesService, {
      getSupportedMethods: supportedMethods(node, batches),
    })
    this.server.addService(GossipService, { read: gossipMembers(node) })
  }

  private node(): Node {
    const self = () => ({ address: '127.0.0.1', port: this.port })
    return {
      disk: this.disk,
      faults: this.faults,
      committer: this.committer,
      writer: this.writer,
      commitTimeout: this.commitTimeout,
      limits: { ...DEFAULT_LIMITS, ...this.options.limits },
      headReadMs: this.options.headReadMs ?? DEFAULT_HEAD_READ_MS,
      epoch: () => this.epoch,
      dropConnection: (peer) => {
        this.connections.cut(peer)
      },
      members: () =>
        this.clusterMembers ?? [{ ...self(), state: 'leader' as const, isAlive: true }],
      otherLeader: () => this.leader,
      self,
      subscriptions: this.subscriptions,
    }
  }
}

export function connectionStringOf(port: number, tls: TlsFiles | undefined): string {
  if (tls === undefined) return `esdb://127.0.0.1:${String(port)}?tls=false`
  return `esdb://localhost:${String(port)}?tls=true&tlsCAFile=${tls.certFile}`
}

function credentialsOf(tls: TlsFiles | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure()
  const pair = { private_key: readFileSync(tls.keyFile), cert_chain: readFileSync(tls.certFile) }
  return ServerCredentials.createSsl(null, [pair])
}

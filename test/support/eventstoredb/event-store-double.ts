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
  /** 0, the default, takes a free one. */
  readonly port?: number
  /** Give a double the disk of another one to make it the same server started again. */
  readonly disk?: Disk
  /** From written to committed. */
  readonly commitDelayMs?: number
  /** How long an append waits for its commit before "Commit phase timeout". */
  readonly commitTimeoutMs?: number
  /**
   * How long it takes to read where `$all` ends, in milliseconds: a real server takes 3 to 7. A double
   * that answers at once hides what a time limit too short does.
   */
  readonly headReadMs?: number
  /** False: a server of before 21.10, which has no BatchAppend. */
  readonly batchAppend?: boolean
  /** The sizes that the server is started with (`--max-append-size`, `--max-append-event-size`). */
  readonly limits?: Partial<SizeLimits>
  /** Over TLS: each client then has a connection of its own, which it shares with no other one. */
  readonly tls?: TlsFiles
}

/** Of a node, in PEM; the certificate is its own authority. */
export interface TlsFiles {
  readonly keyFile: string
  readonly certFile: string
}

/** What holds back the commits of a double. */
export interface HeldCommits {
  /** Commits what was written meanwhile. */
  release(): void
  /** Answers "Commit phase timeout" to every append that waits now; its events stay written. */
  expire(): void
}

/**
 * EventStoreDB on 127.0.0.1 as far as its client can tell, for tests: the real wire, the rules of
 * 23.10 with the stricter sizes of 24.10.4, facts that outlive a restart, and faults on command.
 */
export class EventStoreDouble {
  /** The faults that calls to come shall meet. */
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

  /** Resolves with a double that listens. */
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

  /** How many connections are open. */
  get connectionCount(): number {
    return this.connections.count
  }

  /** What is committed, oldest first, system events included. */
  records(stream?: string): readonly StoredRecord[] {
    const all = this.disk.committedRecords()
    return stream === undefined ? all : all.filter((record) => record.stream === stream)
  }

  /** Nothing is committed until release: appends are written, unseen, and time out. */
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

  /** Removes what nobody can read from `$all`, and says so there. */
  scavenge(): void {
    this.disk.scavenge((record) => this.writer.keeps(record))
    this.disk.write(
      '$scavengePoints',
      this.writer.next('$scavengePoints'),
      systemEvent('$scavengePoint', '{}'),
    )
    this.disk.commit(this.disk.written)
  }

  /** Cuts every connection; new ones are taken. */
  dropConnections(): void {
    this.connections.cutAll()
  }

  /** Cuts every connection and refuses new ones until `listen`. */
  refuseConnections(): Promise<void> {
    return this.connections.refuse()
  }

  /** Takes connections again, on the same port. */
  listen(): Promise<void> {
    return this.connections.listen()
  }

  /**
   * The process ends and starts again on the same disk: connections are cut, ids forgotten, faults
   * to come too. What was written and not committed is kept, or lost as on a replaced leader.
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

  /** Drops every subscription as the server drops a consumer that is too slow. */
  dropSubscriptions(): void {
    for (const subscription of [...this.subscriptions]) subscription.fail(tooSlow())
  }

  /** From now on its clock is so far ahead of this machine's, in milliseconds; negative: behind. */
  bendClock(aheadMs: number): void {
    this.date.bend(aheadMs)
  }

  /** Another node leads: calls that require the leader are sent there. Nothing: this one leads. */
  reportLeader(leader?: Endpoint): void {
    this.leader = leader
  }

  /** What gossip says; itself as the only member and leader unless told. */
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

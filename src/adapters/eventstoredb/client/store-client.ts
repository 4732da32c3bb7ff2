import {
  AccessDeniedError,
  BACKWARDS,
  END,
  EventStoreDBClient,
  StreamDeletedError,
  StreamNotFoundError,
  UnavailableError,
  type Credentials,
} from '@eventstore/db-client'
import { StreamsClient, StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { reasonOf } from './answer.js'
import type { BatchCall } from '../append/batch-stream.js'
import { endRead } from './end-read.js'
import { probeStream } from './probe-stream.js'
import { TimedOut, withTimeout } from './with-timeout.js'

/** A read that takes longer proves nothing, and forbids no append, in milliseconds. */
const maxProofMs = 1_000

/** The status of a user who is known and has not the right. */
const permissionDenied = 7

type Channel = ReturnType<StreamsClient['getChannel']>

/**
 * The client with what its own class keeps for subclasses: `execute`, `supports`, `callArguments`,
 * `getChannel` and `handleError`. The compiler holds their forms, and `batchCall` is tested over the
 * wire.
 *
 * Calls are made inside `call`, and `close` ends it: the client's own `dispose` cancels its streams
 * and leaves its channel open, with the connection to the server.
 */
export class StoreClient extends EventStoreDBClient {
  // No constructor runs (see `open`), so these begin as undefined.
  /** That of the latest call: the client has abandoned those before it. */
  declare private channel: Channel | undefined
  declare private isClosed: true | undefined

  /**
   * A client that cannot end the process. After a failed call it looks at the connection that it has
   * by then, and nobody waits for that look: where it is a discovery that fails, the failure would be
   * unhandled. Whoever waits for that discovery is told of it, so nothing is lost here.
   */
  static open(connectionString: string): StoreClient {
    // The client makes itself from a connection string, and of its own class only.
    const made = EventStoreDBClient.connectionString(connectionString)
    const client: unknown = Object.setPrototypeOf(made, StoreClient.prototype)
    if (!(client instanceof StoreClient)) throw new TypeError('no client was made')
    const handle = client.handleError
    client.handleError = async (...failure) => {
      try {
        await handle(...failure)
      } catch {
        return
      }
    }
    return client
  }

  /** Makes a call, and keeps the channel that it goes over so that it is closed for certain. */
  call<T>(make: (client: EventStoreDBClient) => T): T {
    const made = make(this)
    // In the same turn the client gives the channel of that call, and does not look for another.
    this.getChannel().then(
      (channel) => {
        this.keep(channel)
      },
      // No channel came about. The call fails with the same error, and tells its caller.
      () => undefined,
    )
    return made
  }

  /**
   * Cancels its streams and closes its channel. A channel that comes later, from a discovery that is
   * under way or for another call, is closed when it comes.
   */
  async close(): Promise<void> {
    this.isClosed = true
    const streamsEnded = this.dispose()
    this.channel?.close()
    await streamsEnded
  }

  private keep(channel: Channel): void {
    if (this.channel !== channel) this.channel?.close()
    this.channel = channel
    if (this.isClosed) channel.close()
  }

  /**
   * A call that takes many appends; undefined when the server has none. Throws what says why there is
   * none now. In doubt, a read proves the connection, the user and that this node leads, before
   * anything is sent: an election ends whole calls, and does not say which appends it refused.
   */
  batchCall(credentials: Credentials, inDoubt: boolean): Promise<BatchCall | undefined> {
    const open = async (streams: StreamsClient) => {
      if (inDoubt) await this.askLeader(credentials)
      if (!(await this.hasBatchAppend())) return undefined
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

  private async askLeader(credentials: Credentials): Promise<void> {
    const events = this.call((client) =>
      client.readStream(probeStream, {
        direction: BACKWARDS,
        fromRevision: END,
        maxCount: 1,
        requiresLeader: true,
        credentials,
      }),
    )
    const read = async () => {
      // To its end: a call that is left early stays open.
      for await (const _event of events) continue
    }
    try {
      await withTimeout(maxProofMs, read())
    } catch (error) {
      if (error instanceof TimedOut) endRead(events)
      else if (!isOfStream(error)) throw error
    }
  }

  /** The client keeps a failed answer for as long as it keeps its connection. */
  private async hasBatchAppend(): Promise<boolean> {
    try {
      return await this.call(() => this.supports(StreamsService.batchAppend))
    } catch (error) {
      throw new UnavailableError(undefined, reasonOf(error))
    }
  }
}

/** Who says so leads. */
function isOfStream(error: unknown): boolean {
  if (error instanceof AccessDeniedError) return Number(error.code) === permissionDenied
  return error instanceof StreamNotFoundError || error instanceof StreamDeletedError
}

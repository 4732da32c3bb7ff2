import { Semaphore } from '../../../application/semaphore.js'
import type { Lifecycle } from '../connection/lifecycle.js'
import { HttpFault, plainFault } from '../errors/faults.js'

const maxStreamsOfKey = 20

/**
 * The value of Retry-After for a refused stream, in seconds. A stream of the key ends within
 * minutes and frees a slot.
 */
const retryAfterSeconds = 15

/**
 * The interval between two checks of all streams, in milliseconds. A revoked key must lose its
 * streams within 2 seconds. The first check after the revocation ends the streams, and the next
 * check cuts the connections that are still open. The two seconds do not include the delay with
 * which the key ring itself learns of the revocation.
 */
const checkEveryMs = 500
const heartbeatMs = 15_000
const minLifeMs = 600_000
const maxLifeMs = 900_000

interface StreamControl {
  readonly isAllowed: () => boolean
  /** Whether the stream ends by itself. If so, no maximum duration applies. */
  readonly endsByItself?: boolean | undefined
  readonly beat: () => void
  /** Ends the stream after the chunks that its writer has already produced. */
  readonly end: () => void
  /** Cuts the connection of a reader that does not read the last chunks. */
  readonly cut: () => void
}

interface OpenStream extends StreamControl {
  nextBeat: number
  isEnding: boolean
  readonly endsAt: number
}

/** Tracks the open streams of this process: counts them, triggers their heartbeats, and ends them. */
export class OpenStreams {
  private readonly ofKeys = new Semaphore({ most: Infinity, mostOfOne: maxStreamsOfKey })
  private readonly open = new Set<OpenStream>()
  private stopChecks: (() => void) | undefined
  private isClosed = false

  /** Calls `counted` with the number of open streams whenever a stream begins or ends. */
  constructor(
    private readonly timers: StreamTimers,
    lifecycle: Pick<Lifecycle, 'whenClosing'>,
    private readonly counted: (open: number) => void = () => undefined,
  ) {
    lifecycle.whenClosing(() => {
      this.isClosed = true
      for (const stream of [...this.open]) end(stream)
    })
  }

  /**
   * Counts a stream of an API key. Returns a function that frees the slot. Throws `rate_limited`
   * when the key has too many streams.
   */
  admit(keyId: string): () => void {
    const release = this.ofKeys.tryTake(keyId, 1)
    if (release === undefined) throw tooManyStreams()
    let isOpen = true
    return () => {
      if (isOpen) release()
      isOpen = false
    }
  }

  /**
   * Adds a stream to the periodic checks. Returns a function that removes it. Throws
   * `shutting_down` when the service closes.
   */
  add(control: StreamControl): () => void {
    if (this.isClosed) throw plainFault('shutting_down')
    const now = this.timers.now()
    // Chooses a random duration, so that clients do not all reconnect at one moment.
    const life = minLifeMs + this.timers.random() * (maxLifeMs - minLifeMs)
    const stream = {
      ...control,
      nextBeat: now + heartbeatMs,
      endsAt: control.endsByItself === true ? Infinity : now + life,
      isEnding: false,
    }
    this.open.add(stream)
    this.counted(this.open.size)
    this.stopChecks ??= this.timers.every(checkEveryMs, () => {
      this.checkAll()
    })
    return () => {
      this.open.delete(stream)
      this.counted(this.open.size)
      if (this.open.size > 0) return
      this.stopChecks?.()
      this.stopChecks = undefined
    }
  }

  private checkAll(): void {
    const now = this.timers.now()
    for (const stream of [...this.open]) {
      if (stream.isEnding) stream.cut()
      else if (now >= stream.endsAt || !stream.isAllowed()) end(stream)
      else if (now >= stream.nextBeat) {
        stream.nextBeat = now + heartbeatMs
        stream.beat()
      }
    }
  }
}

function end(stream: OpenStream): void {
  stream.isEnding = true
  stream.end()
}

function tooManyStreams(): HttpFault {
  const message = `This key has ${String(maxStreamsOfKey)} open streams, which is the limit. Close a stream, or read pages instead.`
  return new HttpFault('rate_limited', message, [], { 'Retry-After': String(retryAfterSeconds) })
}

/** The clock, timers and random numbers that streams use. Tests replace them. */
export interface StreamTimers {
  /** Returns milliseconds on a monotonic clock. */
  now(): number
  /** Calls `work` every `milliseconds`. Returns a function that stops the calls. */
  every(milliseconds: number, work: () => void): () => void
  /** Returns a random number from 0 to 1. */
  random(): number
}

export const defaultStreamTimers: StreamTimers = {
  now: () => performance.now(),
  every: (milliseconds, work) => {
    const timer = setInterval(work, milliseconds).unref()
    return () => {
      clearInterval(timer)
    }
  },
  random: () => Math.random(),
}

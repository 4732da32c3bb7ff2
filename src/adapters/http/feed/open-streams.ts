import { Semaphore } from '../../../application/semaphore.js'
import type { Lifecycle } from '../connection/lifecycle.js'
import { HttpFault, plainFault } from '../errors/faults.js'

const maxStreamsOfKey = 20

/** Retry-After of a refused stream. Other streams of the key end after minutes. */
const retryAfterSeconds = 15

/**
 * The interval of the check of all streams. A revoked key must lose its streams within 2 seconds: one check ends them,
 * the next check cuts them, and the key ring takes a moment, too.
 */
const checkEveryMs = 500
const heartbeatMs = 15_000
const minLifeMs = 600_000
const maxLifeMs = 900_000

interface StreamControl {
  readonly isAllowed: () => boolean
  /** Whether the stream ends without a limit of its duration. */
  readonly endsByItself?: boolean | undefined
  readonly beat: () => void
  /** Ends the stream after the chunks that were handed on. */
  readonly end: () => void
  /** Cuts a stream whose reader has not taken those chunks. */
  readonly cut: () => void
}

interface OpenStream extends StreamControl {
  nextBeat: number
  isEnding: boolean
  readonly endsAt: number
}

/** The open streams of this process: counts them, triggers their heartbeats, and ends them. */
export class OpenStreams {
  private readonly ofKeys = new Semaphore({ most: Infinity, mostOfOne: maxStreamsOfKey })
  private readonly open = new Set<OpenStream>()
  private stopChecks: (() => void) | undefined
  private isClosed = false

  /** `counted` is called with the number of open streams whenever one begins or ends. */
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

  /** Counts a stream of a key. Returns a function that ends the count. Throws `rate_limited`. */
  admit(keyId: string): () => void {
    const release = this.ofKeys.tryTake(keyId, 1)
    if (release === undefined) throw tooManyStreams()
    let isOpen = true
    return () => {
      if (isOpen) release()
      isOpen = false
    }
  }

  /** Controls a stream. Returns a function that ends the control. Throws `shutting_down`. */
  add(control: StreamControl): () => void {
    if (this.isClosed) throw plainFault('shutting_down')
    const now = this.timers.now()
    // Random, so that clients do not all come back at once.
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
  const message = `This key has ${String(maxStreamsOfKey)} streams open. Close one, or ask for pages.`
  return new HttpFault('rate_limited', message, [], { 'Retry-After': String(retryAfterSeconds) })
}

/** The clock, the timers and the random numbers of streams. */
export interface StreamTimers {
  /** Milliseconds, on a clock that never goes back. */
  now(): number
  /** Calls `work` at an interval in milliseconds. Returns a function that stops the interval. */
  every(milliseconds: number, work: () => void): () => void
  /** A random number from 0 to 1. */
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

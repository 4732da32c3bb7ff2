import { Semaphore } from '../../../application/semaphore.js'
import type { Lifecycle } from '../connection/lifecycle.js'
import { HttpFault, plainFault } from '../errors/faults.js'

const maxStreamsOfKey = 20

/** After how many seconds a refused stream may come again: others end after minutes. */
const retryAfterSeconds = 15

/**
 * How often all streams are looked at. A revoked key is to lose its streams within 2 seconds: they are
 * ended at one look and cut at the next, and the key ring may take a moment, too.
 */
const lookEveryMs = 500
const heartbeatMs = 15_000
const minLifeMs = 600_000
const maxLifeMs = 900_000

interface StreamControl {
  readonly isAllowed: () => boolean
  /** It is not ended after some minutes. */
  readonly endsByItself?: boolean | undefined
  readonly beat: () => void
  /** It is to end after what was handed on. */
  readonly end: () => void
  /** It was to end, and its reader has not taken what was handed on. */
  readonly cut: () => void
}

interface OpenStream extends StreamControl {
  nextBeat: number
  isEnding: boolean
  readonly endsAt: number
}

/** The streams that are open in this process: how many, and when each is to beat and to end. */
export class OpenStreams {
  private readonly ofKeys = new Semaphore({ most: Infinity, mostOfOne: maxStreamsOfKey })
  private readonly open = new Set<OpenStream>()
  private stopLooking: (() => void) | undefined
  private isClosed = false

  /** `counted` is called with how many are open, whenever one begins or ends. */
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

  /** Counts a stream of a key; the function that it returns frees its place. Throws `rate_limited`. */
  admit(keyId: string): () => void {
    const release = this.ofKeys.tryTake(keyId, 1)
    if (release === undefined) throw tooManyStreams()
    let isOpen = true
    return () => {
      if (isOpen) release()
      isOpen = false
    }
  }

  /** Watches over a stream until the function that it returns is called. Throws `shutting_down`. */
  add(control: StreamControl): () => void {
    if (this.isClosed) throw plainFault('shutting_down')
    const now = this.timers.now()
    // Not all at once: those who come back come one by one.
    const life = minLifeMs + this.timers.random() * (maxLifeMs - minLifeMs)
    const stream = {
      ...control,
      nextBeat: now + heartbeatMs,
      endsAt: control.endsByItself === true ? Infinity : now + life,
      isEnding: false,
    }
    this.open.add(stream)
    this.counted(this.open.size)
    this.stopLooking ??= this.timers.every(lookEveryMs, () => {
      this.look()
    })
    return () => {
      this.open.delete(stream)
      this.counted(this.open.size)
      if (this.open.size > 0) return
      this.stopLooking?.()
      this.stopLooking = undefined
    }
  }

  private look(): void {
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

/** What the streams of the feed know of time and chance. */
export interface StreamTimers {
  /** Milliseconds, on a clock that never goes back. */
  now(): number
  /** Calls `work` at an interval in milliseconds. Returns what ends that. */
  every(milliseconds: number, work: () => void): () => void
  /** From 0 up to 1. */
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

import { setTimeout } from 'node:timers/promises'
import { AccessDeniedError } from '@eventstore/db-client'
import { NewerSchemaVersion, UnreadableFact } from '../../../application/facts/unreadable-fact.js'
import { reasonOf } from '../client/answer.js'
import type { Processing } from './processing.js'
import {
  CheckpointBeyondHead,
  CheckpointUnknown,
  HandlerFailed,
  Stopped,
  SubscriptionDenied,
} from './subscription-errors.js'
import type { SubscriptionOptions } from './subscription-options.js'
import { abortable } from './abortable.js'

const minPauseMs = 100
const maxPauseMs = 5_000

/** A leader just elected may show its end a little late: only what it says again and again counts. */
const refusalsToBelieve = 5

/** No other call can mend these. */
const final = [Stopped, HandlerFailed, NewerSchemaVersion, UnreadableFact]

/** What to do when a call broke: wait, longer each time, or give up. */
export class Recovery {
  private nextPauseMs = minPauseMs
  private refusals = 0

  constructor(
    private readonly options: SubscriptionOptions,
    private readonly processing: Processing,
  ) {}

  /** Resolves when the next call may be made. Throws what no other call can mend. */
  async after(error: unknown): Promise<void> {
    if (error instanceof AccessDeniedError)
      throw new SubscriptionDenied('the server does not let this user read $all', { cause: error })
    if (this.isFinal(error)) throw error
    const pauseMs = this.nextPauseMs
    this.nextPauseMs = Math.min(pauseMs * 2, maxPauseMs)
    await this.processing.tellOfBreak({ reason: reasonOf(error), pauseMs })
    const { signal, wait = pause } = this.options
    await abortable(signal, wait(pauseMs, signal))
  }

  /** The server has taken a call. */
  opened(): void {
    this.refusals = 0
  }

  /** Something came and was processed. */
  progressed(): void {
    this.nextPauseMs = minPauseMs
  }

  private isFinal(error: unknown): boolean {
    if (error instanceof CheckpointBeyondHead || error instanceof CheckpointUnknown) {
      this.refusals += 1
      return this.refusals >= refusalsToBelieve
    }
    return final.some((kind) => error instanceof kind)
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return setTimeout(milliseconds, undefined, { signal })
}

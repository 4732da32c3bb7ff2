import { z } from 'zod'
import { errorText } from './error-text.js'
import type { Reply } from './http-client.js'
import type { SendOnce, Write } from './write.js'

/** What became of a write in the end. */
export type Outcome =
  | { readonly kind: 'created' }
  | { readonly kind: 'updated' }
  /** Stored before, under the same key. */
  | { readonly kind: 'replayed' }
  | { readonly kind: 'refused'; readonly code: string }

/** Time and chance, as values: a test has its own. */
export interface Pace {
  /** Milliseconds that only grow. */
  now(): number
  /** Called before a write goes out again, with why; rejects when the run is called off. */
  pause(milliseconds: number, reason: string): Promise<void>
  /** From 0 up to, not including, 1. */
  random(): number
}

/** A write was not answered for good within its time; the message says what came last. */
export class GaveUp extends Error {
  readonly code = 'gave_up'
  override readonly name = 'GaveUp'
}

/** The answer is none of Dossier's: another service listens there. */
export class NotDossier extends Error {
  readonly code = 'not_dossier'
  override readonly name = 'NotDossier'
}

/** Of a service that hangs, a new connection may reach a replica that does not. */
const attemptMs = 15_000
const minPauseMs = 100
const maxPauseMs = 5_000

/** 4xx that pass: the request came too slowly, or too many came. */
const passing = new Set([408, 429])

const success = z.object({ data: z.looseObject({}) })
const fault = z.object({ error: z.object({ code: z.string() }) })

/**
 * Sends the write until its outcome is known: after a 5xx (503 and 504 above all), 408, 429 or a
 * broken connection it goes out again, the same under the same key, so that it is stored once
 * whichever attempt got through. Throws `GaveUp` when `limitMs` would not be kept, `NotDossier`,
 * and what `pause` throws.
 */
export async function sendWithRetries(
  sendOnce: SendOnce,
  write: Write,
  limitMs: number,
  pace: Pace,
): Promise<Outcome> {
  const endsAt = pace.now() + limitMs
  for (let attempt = 0; ; attempt += 1) {
    const answer = await sendOnce(write, Math.min(attemptMs, endsAt - pace.now())).catch(broken)
    if (!('reason' in answer) && !isPassing(answer)) return outcomeOf(answer)
    const reason = 'reason' in answer ? answer.reason : `${String(answer.status)} ${codeOf(answer)}`
    const pauseMs = pauseAfter(answer, attempt, pace)
    if (pace.now() + pauseMs >= endsAt) throw new GaveUp(giveUpText(reason, limitMs))
    await pace.pause(pauseMs, reason)
  }
}

interface Broken {
  readonly reason: string
}

function broken(error: unknown): Broken {
  return { reason: errorText(error) }
}

function isPassing({ status }: Reply): boolean {
  return status >= 500 || passing.has(status)
}

function outcomeOf(answer: Reply): Outcome {
  const { status, replayed, body } = answer
  if (status >= 400) return { kind: 'refused', code: codeOf(answer) }
  if ((status === 201 || status === 200) && success.safeParse(body).success) {
    if (replayed) return { kind: 'replayed' }
    return { kind: status === 201 ? 'created' : 'updated' }
  }
  throw new NotDossier(`the service answered ${String(status)}: is it Dossier?`)
}

/** Twice as long each time, up to a limit; spread, so that not all come back at once. */
function pauseAfter(answer: Reply | Broken, attempt: number, pace: Pace): number {
  const full = Math.min(maxPauseMs, minPauseMs * 2 ** attempt)
  const asked = 'reason' in answer ? 0 : askedPauseMs(answer.retryAfter)
  return Math.max(asked, full / 2 + (full / 2) * pace.random())
}

/** Retry-After is a number of seconds or a date. */
function askedPauseMs(retryAfter: string | undefined): number {
  if (retryAfter === undefined) return 0
  if (/^[0-9]+$/.test(retryAfter)) return Number(retryAfter) * 1_000
  const date = Date.parse(retryAfter)
  return Number.isNaN(date) ? 0 : Math.max(0, date - Date.now())
}

function giveUpText(reason: string, limitMs: number): string {
  return `The service did not store a request within ${String(limitMs / 1_000)} s: ${reason}`
}

function codeOf({ status, body }: Reply): string {
  return fault.safeParse(body).data?.error.code ?? `http_${String(status)}`
}

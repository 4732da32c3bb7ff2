import type { z } from 'zod'
import { Passing } from './retrying.js'
import { errorOf, ServiceRefused } from './service-errors.js'

export interface HttpOptions {
  /** `http://127.0.0.1:3000` */
  readonly url: URL
  /** The API key, with the scope `read`. */
  readonly key: string
  readonly signal: AbortSignal
  /** How long a stream may be silent: 45,000 milliseconds unless said otherwise. */
  readonly silenceMs?: number
}

const answerMs = 30_000
interface Chunk {
  /** Undefined at the end. */
  readonly value?: Uint8Array | undefined
}

/** Of three heartbeats. */
const maxSilenceMs = 45_000

/**
 * Reads over HTTP, each sent once, with the highest position that is known: what is read never goes back
 * in time, whichever replica answers. All throw what `errorOf` gives, `Passing` when the connection breaks,
 * and the reason of the signal.
 */
export class HttpReader {
  private highest = 0n

  constructor(private readonly options: HttpOptions) {}

  /** An answer of this form, which knows `known`, and the position that it knows. */
  async json<T>(path: string, form: z.ZodType<T>, known: bigint) {
    const late = AbortSignal.timeout(answerMs)
    const reply = await this.send(path, known, 'application/json', late)
    const body = form.safeParse(jsonIn(await this.unbroken(reply.text())))
    const header = reply.headers.get('position') ?? ''
    if (!body.success || !/^[0-9]{1,20}$/.test(header)) {
      throw new ServiceRefused(`the answer to ${path} has another form: is it Dossier?`)
    }
    const position = BigInt(header)
    if (position > this.highest) this.highest = position
    return { body: body.data, position }
  }

  /** The chunks of an answer that goes on. */
  async *stream(path: string, known: bigint): AsyncGenerator<Uint8Array> {
    const { silenceMs = maxSilenceMs } = this.options
    const left = new AbortController()
    const inTime = async <T>(work: Promise<T>): Promise<T> => {
      const timer = setTimeout(() => {
        left.abort(new Error(`nothing came for ${String(silenceMs / 1_000)} s`))
      }, silenceMs)
      return work.finally(() => {
        clearTimeout(timer)
      })
    }
    try {
      const reply = await inTime(this.send(path, known, 'text/event-stream', left.signal))
      if (reply.body === null) return
      const reader = reply.body.getReader()
      for (;;) {
        const chunk: Chunk = await inTime(this.unbroken(reader.read()))
        if (chunk.value === undefined) return
        yield chunk.value
      }
    } finally {
      left.abort()
    }
  }

  private async send(
    path: string,
    known: bigint,
    accept: string,
    end: AbortSignal,
  ): Promise<Response> {
    const { url, key, signal } = this.options
    const position = known > this.highest ? known : this.highest
    const request = fetch(url.origin + url.pathname.replace(/\/+$/, '') + path, {
      headers: {
        Accept: accept,
        Authorization: `Bearer ${key}`,
        ...(position > 0n && { Position: String(position) }),
      },
      signal: AbortSignal.any([signal, end]),
    })
    const reply = await this.unbroken(request)
    if (reply.ok) return reply
    throw errorOf(reply, jsonIn(await this.unbroken(reply.text())))
  }

  private async unbroken<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      this.options.signal.throwIfAborted()
      throw new Passing(reasonOf(error), 0, { cause: error })
    }
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What `fetch` says is that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {}
  const reason = cause instanceof Error ? cause : error
  // A name with several addresses fails with an error of errors, which has no text of its own.
  if (reason instanceof AggregateError) return reason.errors.map(String).join('; ')
  return reason instanceof Error ? reason.message : String(reason)
}

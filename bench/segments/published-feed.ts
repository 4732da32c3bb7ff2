import { z } from 'zod'
import type { Scope } from '../scope.js'
import type { RunningServer } from '../servers/running-server.js'

const factSchema = z.object({
  type: z.enum(['EntityEnteredSegment', 'EntityLeftSegment']),
  data: z.object({
    segment: z.string(),
    entityId: z.string(),
    cause: z.object({ factId: z.string().optional() }),
  }),
})

export type PublishedFact = z.infer<typeof factSchema>

interface Waiter {
  readonly isOver: () => boolean
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

const target = '/facts?after=now&types=EntityEnteredSegment,EntityLeftSegment'
/** Nothing that is waited for takes longer. */
const maxWaitMs = 300_000

/** Who enters and leaves segments from here on, as a subscriber of the feed sees it. */
export class PublishedFeed {
  private readonly leaving = new AbortController()
  private waiter: Waiter | undefined
  private failure: Error | undefined

  private constructor(private readonly onFact: (fact: PublishedFact) => void) {}

  /** Ends with `scope` at the latest. */
  static async open(
    { name, origin, key }: RunningServer,
    scope: Scope,
    onFact: (fact: PublishedFact) => void,
  ): Promise<PublishedFeed> {
    const feed = new PublishedFeed(onFact)
    await scope.own(() => {
      feed.close()
      return Promise.resolve()
    })
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
    const reply = await fetch(origin + target, { headers, signal: feed.leaving.signal })
    if (!reply.ok || reply.body === null) {
      throw new Error(`${name} answered ${String(reply.status)} ${await reply.text()}`)
    }
    feed.read(reply.body).catch((error: unknown) => {
      feed.failure = new Error('the feed broke', { cause: error })
      feed.waiter?.reject(feed.failure)
    })
    return feed
  }

  close(): void {
    this.leaving.abort()
  }

  /** Resolves when it is over, as the facts show. Throws when the feed breaks, or it takes too long. */
  async until(isOver: () => boolean): Promise<void> {
    if (this.failure !== undefined) throw this.failure
    if (isOver()) return
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new Error('what was to be published did not come'))
      }, maxWaitMs)
      const settle = () => {
        clearTimeout(late)
        this.waiter = undefined
      }
      this.waiter = {
        isOver,
        resolve: () => {
          settle()
          resolve()
        },
        reject: (error) => {
          settle()
          reject(error)
        },
      }
    })
  }

  private async read(body: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.take(line)
      if (this.waiter?.isOver() === true) this.waiter.resolve()
    }
    throw new Error('the feed ended by itself')
  }

  /** A line without a fact says where the feed is. */
  private take(line: string): void {
    if (!line.startsWith('data: {"')) return
    this.onFact(factSchema.parse(JSON.parse(line.slice('data: '.length))))
  }
}

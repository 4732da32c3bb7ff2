import { Dossier } from 'dossier/client'
import { feedOf } from '../../../../examples/subscriber/mirror/feed.js'
import {
  followSegment,
  type FollowingSegment,
} from '../../../../examples/subscriber/mirror/follow-segment.js'
import { SegmentMirror } from '../../../../examples/subscriber/mirror/mirror.js'
import { SegmentService } from '../../../../examples/subscriber/mirror/service.js'
import { storeSubscriptionOf } from '../../../../examples/subscriber/mirror/store-subscription.js'
import { apiKey } from './service-double.js'

interface Options extends Partial<FollowingSegment> {
  readonly database: string
  readonly url: URL
  /** EventStoreDB in place of the feed. */
  readonly store?: string | undefined
  readonly silenceMs?: number
}

/** A mirror that is followed in this process; it compares without a pause. */
export class FollowedMirror {
  readonly lines: string[] = []
  readonly mirror: SegmentMirror
  /** Resolves with what it was rejected with, or with nothing. */
  readonly ended: Promise<unknown>
  private readonly ending = new AbortController()
  private isClosed = false
  private readonly waiting = new Set<() => void>()

  constructor({ database, url, store, segment = 'vip', silenceMs = 45_000, ...others }: Options) {
    const { signal } = this.ending
    const dossier = new Dossier({ url, key: apiKey })
    this.mirror = SegmentMirror.open(database)
    const following = followSegment(this.mirror, {
      segment,
      service: new SegmentService(dossier, segment, signal),
      source:
        store === undefined
          ? feedOf(dossier, segment, silenceMs)
          : storeSubscriptionOf(store, segment),
      sayEveryMs: 60_000,
      everyMs: 0,
      patienceMs: 3_600_000,
      once: false,
      signal,
      end: () => {
        this.ending.abort()
      },
      now: () => performance.now(),
      say: (line) => {
        this.lines.push(line)
        for (const look of [...this.waiting]) look()
      },
      ...others,
    })
    this.ended = following.then(
      () => undefined,
      (error: unknown) => error,
    )
  }

  /** Resolves with the next line that holds the text. */
  line(text: string, from = this.lines.length): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const line = this.lines.slice(from).find((one) => one.includes(text))
        if (line === undefined) return
        this.waiting.delete(look)
        resolve(line)
      }
      this.waiting.add(look)
      look()
      void this.ended.then((error) => {
        const said = this.lines.join('\n')
        reject(new Error(`ended without "${text}": ${String(error)}\n${said}`, { cause: error }))
      })
    })
  }

  /** As `line`, of all that was said. */
  said(text: string): Promise<string> {
    return this.line(text, 0)
  }

  /** Resolves when the mirror has these members and no others. */
  equal(digest: string): Promise<string> {
    return this.line(`digest ${digest} equal`)
  }

  get entered(): readonly string[] {
    return this.mirror.entered().map(({ factId }) => factId)
  }

  get members(): readonly string[] {
    return this.mirror.members.ids()
  }

  async stop(): Promise<unknown> {
    this.ending.abort()
    const error = await this.ended
    if (!this.isClosed) this.mirror.close()
    this.isClosed = true
    return error
  }
}

import { gzipSync } from 'node:zlib'
import { startDossier } from '../servers/dossier.js'
import { comparePrepared, prepare } from './compare.js'
import type { Row } from './row.js'
import type { Subject } from './subject.js'

const senders = 64
const items = 2_500

/** The longest list that a request can contain, with items that are refused. */
const list = gzipSync(JSON.stringify({ batch: Array(items).fill({ type: 'track', userId: 'a' }) }))

/** Measures how much slower single events are while other clients send the longest lists. */
export const eventsBesideLists: Row = {
  id: 'events-beside-lists',
  about: 'POST /events beside 64 connections of /v1/batch, 2,500 wrong items each / without',
  run: async (bench) => {
    const load = { kind: 'event', connections: 8 } as const
    const side = async (name: string) => {
      const server = await startDossier({ name, folder: await bench.folder() }, bench.scope)
      return { server, subject: await prepare(bench, { server, load }) }
    }
    const a = await side('beside lists')
    const b = await side('without')
    const lists = new Lists(a.server)
    const comparison = await comparePrepared(bench, lists.beside(a.subject), b.subject)
    return {
      comparison,
      figures: [{ name: 'lists answered a second', value: lists.perSecond, unit: '' }],
    }
  },
}

class Lists {
  private answered = 0
  private milliseconds = 0

  constructor(private readonly server: { readonly origin: string; readonly key: string }) {}

  get perSecond(): number {
    return (this.answered * 1_000) / this.milliseconds
  }

  /** Returns the subject with added load: all connections send lists continuously during a slice. */
  beside(subject: Subject): Subject {
    return {
      name: subject.name,
      slice: async (seconds) => {
        let isOver = false
        const begun = performance.now()
        const sending = Array.from({ length: senders }, async () => {
          while (!isOver) await this.send()
        })
        try {
          return await subject.slice(seconds)
        } finally {
          isOver = true
          this.milliseconds += performance.now() - begun
          await Promise.all(sending)
        }
      },
      rss: () => subject.rss(),
      end: () => subject.end(),
    }
  }

  private async send(): Promise<void> {
    const reply = await fetch(`${this.server.origin}/v1/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.server.key}` },
      body: list,
    })
    await reply.arrayBuffer()
    // A 503 is expected when a list finds no room in time.
    if (reply.status === 400) this.answered += 1
    else if (reply.status !== 503) throw new Error(`/v1/batch answered ${String(reply.status)}`)
  }
}

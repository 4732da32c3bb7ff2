import { setTimeout as wait } from 'node:timers/promises'
import { Dossier, DossierError } from '../../src/client/dossier.js'
import { startDossier } from '../servers/dossier.js'
import { caughtUp } from '../servers/read-readiness.js'
import { comparePrepared, prepare } from './compare.js'
import type { Row } from './row.js'
import type { Subject } from './subject.js'

/** It looks at every event that the load records. */
const rule = { event: 'purchase', within: '90d', count: { gte: 3 } } as const

/** What writes lose while a process previews one rule after the other. */
export const previewBesideWrites: Row = {
  id: 'preview-beside-writes',
  about: 'POST /events while rules are previewed / without',
  run: async (bench) => {
    const load = { kind: 'event', connections: 64 } as const
    const side = async (name: string) => {
      const server = await startDossier({ name, folder: await bench.folder() }, bench.scope)
      const subject = await prepare(bench, { server, load, named: bench.options.customers })
      await caughtUp(server)
      return { server, subject }
    }
    const a = await side('while previewing')
    const b = await side('without')
    const previews = new Previews(a.server)
    const comparison = await comparePrepared(bench, previews.beside(a.subject), b.subject)
    return {
      comparison,
      figures: [{ name: 'entities previewed a second', value: previews.perSecond, unit: '' }],
    }
  },
}

class Previews {
  private entities = 0
  private milliseconds = 0
  private readonly dossier: Dossier

  constructor({ origin, key }: { readonly origin: string; readonly key: string }) {
    this.dossier = new Dossier({ url: origin, key })
  }

  get perSecond(): number {
    return (this.entities * 1_000) / this.milliseconds
  }

  /** One preview after the other while a slice lasts. */
  beside(subject: Subject): Subject {
    return {
      name: subject.name,
      slice: async (seconds) => {
        const ending = new AbortController()
        const previewing = this.run(ending.signal)
        try {
          return await subject.slice(seconds)
        } finally {
          ending.abort(new Error('the slice is over'))
          await previewing
        }
      },
      rss: () => subject.rss(),
      end: () => subject.end(),
    }
  }

  private async run(signal: AbortSignal): Promise<void> {
    const begun = performance.now()
    try {
      for (;;) await this.preview(signal)
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      this.milliseconds += performance.now() - begun
    }
  }

  private async preview(signal: AbortSignal): Promise<void> {
    let done = 0
    try {
      for await (const frame of this.dossier.segments.preview({ rule }, { signal })) {
        if (frame.event === 'progress') done = frame.data.done
      }
    } catch (error) {
      // The one that the slice before broke off may not have ended.
      if (!(error instanceof DossierError) || error.code !== 'rate_limited') throw error
      await wait(error.retryAfterMs, undefined, { signal })
    } finally {
      this.entities += done
    }
  }
}

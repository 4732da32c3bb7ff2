import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { Ledger, Readable } from './ledger.js'
import type { Random } from './random.js'
import { runKey } from './requests.js'
import type { Target } from './target.js'

const readers = 4
const everyMs = 10

const profile = z.object({ data: z.object({ external_id: z.string(), event_count: z.number() }) })
const fault = z.object({ error: z.object({ code: z.string() }) })

/** The codes with which a read may be refused at any time. */
const refusals = new Set(['read_model_behind', 'building', 'shutting_down'])

/**
 * Reads entities continuously, each at its highest acknowledged position. Every response must include all
 * acknowledged events of the entity.
 */
export class Readers {
  answered = 0
  refused = 0
  private stopping = false
  private readonly loops: readonly Promise<void>[]

  constructor(
    private readonly target: Target,
    private readonly ledger: Ledger,
    private readonly random: Random,
  ) {
    this.loops = Array.from({ length: readers }, () => this.read())
  }

  async stop(): Promise<void> {
    this.stopping = true
    await Promise.all(this.loops)
  }

  private async read(): Promise<void> {
    while (!this.stopping) {
      const port = await this.target.ready()
      const wanted = this.ledger.someReadable(this.random)
      if (port === undefined) return
      if (wanted !== undefined) await this.ask(port, wanted)
      await pause(everyMs)
    }
  }

  private async ask(port: number, wanted: Readable): Promise<void> {
    const url = `http://127.0.0.1:${String(port)}/entities/${encodeURIComponent(wanted.entity)}`
    const headers = { authorization: `Bearer ${runKey}`, position: String(wanted.position) }
    let reply: { readonly status: number; readonly position: string; readonly body: unknown }
    try {
      const response = await fetch(url, { headers })
      const position = response.headers.get('position') ?? ''
      reply = { status: response.status, position, body: await response.json() }
    } catch {
      // A read without a response proves nothing.
      return
    }
    this.judge(wanted, reply)
  }

  private judge(
    wanted: Readable,
    { status, position, body }: { status: number; position: string; body: unknown },
  ): void {
    const { success, data } = profile.safeParse(body)
    if (status === 200 && success) {
      this.answered += 1
      const { external_id: entity, event_count: events } = data.data
      if (entity !== wanted.entity) this.ledger.remark('a read told of another entity')
      if (events < wanted.serials.length)
        this.ledger.remark('a read knew less than was acknowledged')
      if (BigInt(position) < wanted.position) this.ledger.remark('a read was of an older position')
      return
    }
    this.refused += 1
    const code = fault.safeParse(body).data?.error.code ?? 'nonsense'
    if (!refusals.has(code)) this.ledger.remark(`a read was answered ${String(status)} ${code}`)
  }
}

import { z } from 'zod'
import type { RunningServer } from '../servers/running-server.js'

const repliedForm = z.object({
  data: z.object({ items: z.array(z.object({ key: z.string() })) }),
})

/** Who is in it turns with each event of the probe. */
export const changing = {
  key: 'changing',
  rule: { event: 'change', last: { '/in': { eq: true } } },
}

const entity = 'customer-1'

type Sent = Omit<RequestInit, 'headers'> & { readonly headers: Readonly<Record<string, string>> }

/**
 * From sending an event that turns whether its entity is in a segment, to the answer of a read with the
 * event's `Position`, which must show it. Throws when it does not.
 */
export class ChangeProbe {
  /** In milliseconds, one for each event. */
  private readonly waits: number[] = []
  private isEnding = false

  constructor(private readonly server: RunningServer) {}

  async during<T>(work: () => Promise<T>): Promise<{ waits: readonly number[]; result: T }> {
    const working = work().finally(() => {
      this.isEnding = true
    })
    const [result] = await Promise.all([working, this.probe()])
    return { waits: this.waits, result }
  }

  private async probe(): Promise<void> {
    for (let isIn = true; !this.isEnding; isIn = !isIn) {
      const event = { entity_external_id: entity, name: 'change', properties: { in: isIn } }
      const begun = performance.now()
      const { position } = await this.answered('/events', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(event),
      })
      const read = { headers: { position } }
      const { text } = await this.answered(`/entities/${entity}/segments`, read)
      this.waits.push(performance.now() - begun)
      const { items } = repliedForm.parse(JSON.parse(text)).data
      if (items.some(({ key }) => key === changing.key) === isIn) continue
      throw new Error(`not as of its event: ${text}`)
    }
  }

  private async answered(path: string, init: Sent) {
    const { name, origin, key } = this.server
    const headers = { ...init.headers, authorization: `Bearer ${key}` }
    const reply = await fetch(origin + path, { ...init, headers })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${name} answered ${String(reply.status)} ${text}`)
    return { text, position: reply.headers.get('position') ?? '' }
  }
}

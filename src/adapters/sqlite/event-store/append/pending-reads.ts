import type { StreamFact } from '../../../../application/ports/exact-appends.js'
import { Refusal } from '../../../../application/ports/refusal.js'
import type { StreamResponse } from './protocol.js'

/** The requests for facts of a stream that have no response yet. */
export class PendingReads {
  private readonly waiting = new Map<number, (response: StreamResponse) => void>()
  private last = 0

  constructor(private readonly timeoutMs: number) {}

  /** `send` is given the request's id. */
  add(send: (id: number) => void): Promise<readonly StreamFact[]> {
    return new Promise((resolve, reject) => {
      this.last += 1
      const id = this.last
      const end = (response: StreamResponse) => {
        clearTimeout(timer)
        this.waiting.delete(id)
        if ('facts' in response) resolve(response.facts)
        else reject(new Refusal('store_unavailable', response.trouble))
      }
      const timer = setTimeout(end, this.timeoutMs, {
        trouble: 'the disk did not respond in time',
      })
      this.waiting.set(id, end)
      send(id)
    })
  }

  /** One that comes too late is dropped. */
  respond(id: number, response: StreamResponse): void {
    this.waiting.get(id)?.(response)
  }

  refuseAll(trouble: string): void {
    for (const end of [...this.waiting.values()]) end({ trouble })
  }
}

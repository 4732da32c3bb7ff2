import type { HttpClient } from './http-client.js'

/** The highest position that replies carry: what a client keeps to read its own writes. */
export class HighestPosition {
  /** Decimal text, as it came. */
  value: string | undefined

  /** The same client, whose replies are looked at. */
  of(client: Pick<HttpClient, 'send'>): Pick<HttpClient, 'send'> {
    return {
      send: async (request, timeoutMs) => {
        const reply = await client.send(request, timeoutMs)
        this.note(reply.position)
        return reply
      },
    }
  }

  private note(position: string | undefined): void {
    if (position === undefined) return
    if (this.value === undefined || BigInt(position) > BigInt(this.value)) this.value = position
  }
}

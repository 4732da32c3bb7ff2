import type { ServerResponse } from 'node:http'

/** Bytes that may be buffered for clients at once: of all of them, and of one owner. One alone never is too large. */
export class ByteBudget {
  private used = 0
  private readonly owners = new Map<string, number>()

  /** Both in bytes. */
  constructor(
    private readonly most: number,
    private readonly mostOfOne = most,
  ) {}

  /** What gives the bytes back, to be called once; undefined: there is no room for them. */
  take(owner: string, bytes: number): (() => void) | undefined {
    const own = this.owners.get(owner) ?? 0
    if (this.used > 0 && this.used + bytes > this.most) return undefined
    if (own > 0 && own + bytes > this.mostOfOne) return undefined
    this.used += bytes
    this.owners.set(owner, own + bytes)
    return () => {
      this.used -= bytes
      const left = (this.owners.get(owner) ?? bytes) - bytes
      if (left === 0) this.owners.delete(owner)
      else this.owners.set(owner, left)
    }
  }
}

/**
 * Calls `sent` once a reply was sent, or its connection was closed. A reply without a connection waits
 * for the reply before it, and may never see its end.
 */
export function whenSent(response: ServerResponse, sent: () => void): void {
  if (response.socket === null || response.closed) sent()
  else response.once('close', sent)
}

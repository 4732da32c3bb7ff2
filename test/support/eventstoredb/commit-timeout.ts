import { defer } from './deferred.js'

/** The server's timeout for the commit of a written append. */
export class CommitTimeout {
  private readonly waiting = new Set<() => void>()

  constructor(private readonly ms: number) {}

  /** Returns the answer, or undefined when the timeout expires first. */
  async await<T>(answer: Promise<T>): Promise<T | undefined> {
    const expired = defer<undefined>()
    const expire = () => {
      expired.resolve(undefined)
    }
    const timer = setTimeout(expire, this.ms)
    this.waiting.add(expire)
    try {
      return await Promise.race([answer, expired.promise])
    } finally {
      clearTimeout(timer)
      this.waiting.delete(expire)
    }
  }

  /** Expires the timeout of all waiting appends. */
  expire(): void {
    for (const expire of [...this.waiting]) expire()
  }
}

import { defer } from './deferred.js'

/** How long the server waits for what it wrote to be committed. */
export class CommitTimeout {
  private readonly waiting = new Set<() => void>()

  constructor(private readonly ms: number) {}

  /** The answer, or undefined when it did not come in time. */
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

  /** The time of all who wait now is over. */
  expire(): void {
    for (const expire of [...this.waiting]) expire()
  }
}

import type { LogHead } from '../facts/ports/fact-log.js'

/** One request that waits until everything up to a position is applied. */
export class Waiter {
  /** What has to be applied for it; undefined until the store has said where its head is. */
  wanted: number | undefined
  /** It waits for the store's word, which is due now. */
  needsHead = false
  timer: NodeJS.Timeout | undefined
  private heard: 'nothing' | 'beyond' | 'other' = 'nothing'

  /**
   * `head`: the position where the store ends at the first request. `dueAt`: in milliseconds, as
   * `performance.now` counts them. `end` is given the error that it waited in vain with, if it did.
   */
  constructor(
    private readonly position: number | 'head',
    readonly dueAt: number,
    readonly end: (error?: Error) => void,
  ) {
    if (position !== 'head') this.wanted = position
  }

  /** The store has said something, or failed to, since this request came. */
  get hasHeard(): boolean {
    return this.heard !== 'nothing'
  }

  /** Whether the store has said each time that it ends before the position. */
  get isBeyond(): boolean {
    return this.heard === 'beyond'
  }

  /** Whether more that the store says can change what it waits for. */
  get wantsHeads(): boolean {
    return this.position !== 'head' || this.wanted === undefined
  }

  /** `head`: of a request that began after this one had come; undefined: the store did not say. */
  hear(head: LogHead | undefined): void {
    this.needsHead = false
    const { position } = this
    if (position === 'head') {
      this.heard = 'other'
      this.wanted ??= head?.newest
      return
    }
    const isBeyond = head !== undefined && position > head.end
    // A position that is no fact of ours is reached with the last fact before it.
    this.wanted = head === undefined || isBeyond ? position : Math.min(position, head.newest)
    this.heard = isBeyond && this.heard !== 'other' ? 'beyond' : 'other'
  }
}

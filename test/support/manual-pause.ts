/** A pause that a test ends, so that no time passes. */
export class ManualPause {
  /** The lengths of the pauses so far, in milliseconds. */
  readonly lengths: number[] = []
  private end: () => void = () => undefined
  private began: () => void = () => undefined
  private beginning = this.nextBeginning()

  readonly pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      this.lengths.push(milliseconds)
      this.end = () => {
        signal.removeEventListener('abort', this.end)
        resolve()
      }
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', this.end)
      this.began()
    })

  /** Resolves when the first pause has begun. */
  begun(): Promise<void> {
    return this.beginning
  }

  /** Ends the pause. Resolves when the next pause has begun, so all work between the two is done. */
  async pass(): Promise<void> {
    this.beginning = this.nextBeginning()
    this.end()
    await this.beginning
  }

  private nextBeginning(): Promise<void> {
    return new Promise((resolve) => {
      this.began = resolve
    })
  }
}

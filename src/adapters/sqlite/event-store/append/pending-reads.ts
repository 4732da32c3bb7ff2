import type { StreamFact } from '../../../../application/ports/exact-appends.js'
import { Refusal } from '../../../../application/ports/refusal.js'
import type { StreamAnswer } from './protocol.js'

/** The questions for facts of a stream that the writer has not answered. */
export class PendingReads {
  private readonly waiting = new Map<number, (answer: StreamAnswer) => void>()
  private last = 0

  constructor(private readonly timeoutMs: number) {}

  /** `send` is given the number of the question. */
  ask(send: (question: number) => void): Promise<readonly StreamFact[]> {
    return new Promise((resolve, reject) => {
      this.last += 1
      const question = this.last
      const settle = (answer: StreamAnswer) => {
        clearTimeout(timer)
        this.waiting.delete(question)
        if ('facts' in answer) resolve(answer.facts)
        else reject(new Refusal('store_unavailable', answer.trouble))
      }
      const timer = setTimeout(settle, this.timeoutMs, {
        trouble: 'the disk did not answer in time',
      })
      this.waiting.set(question, settle)
      send(question)
    })
  }

  /** One that comes too late is dropped. */
  answer(question: number, answer: StreamAnswer): void {
    this.waiting.get(question)?.(answer)
  }

  refuseAll(trouble: string): void {
    for (const settle of [...this.waiting.values()]) settle({ trouble })
  }
}

import { Refusal } from '../../../application/ports/refusal.js'
import { faultData } from '../errors/fault-body.js'
import { faultOf } from '../errors/fault-of.js'
import { jsonOf } from '../replies/json-of.js'
import { chunkBytes, type StreamWriter } from './send-stream.js'

/** Work that reports its steps. The last step is the result. */
interface SteppedWork<Step> {
  steps(): AsyncIterable<Step>
  cancel(): void
}

/** Writes the steps of some work as server-sent events. Cancels the work when the stream ends. */
export abstract class StepWriter<Step extends { readonly kind: string }> implements StreamWriter {
  private isOver = false

  constructor(
    private readonly work: SteppedWork<Step>,
    private readonly requestId: string,
  ) {}

  /** Returns the data of the frame of a step. */
  protected abstract dataOf(step: Step): object

  /** Does nothing, because the work sends enough frames to keep the connection alive. */
  beat(): void {
    return
  }

  end(): void {
    this.isOver = true
    this.work.cancel()
  }

  /**
   * Produces the frames. Does not call `begin`, so the socket keeps its timeout. The timeout cuts
   * the connection of a reader that does not read.
   */
  async *chunks(_begin: () => void): AsyncGenerator<Buffer> {
    try {
      for await (const step of this.work.steps()) {
        yield* this.unlessOver(frame(step.kind, this.dataOf(step)))
        if (this.isOver) return
      }
    } catch (error) {
      if (this.isOver) return
      if (!(error instanceof Refusal)) throw error
      yield frame('fault', faultData(faultOf(error), this.requestId, 'read'))
    }
  }

  private *unlessOver(bytes: Buffer): Generator<Buffer> {
    for (let at = 0; at < bytes.length && !this.isOver; at += chunkBytes) {
      yield bytes.subarray(at, at + chunkBytes)
    }
  }
}

function frame(event: string, data: object): Buffer {
  return Buffer.from(`event: ${event}\ndata: ${jsonOf(data)}\n\n`)
}

import type { MessagePort } from 'node:worker_threads'
import { Cancellation } from '../../../../application/ports/cancellation.js'
import type { Log } from '../../../../application/ports/log.js'
import { Refusal, RefusalAt } from '../../../../application/ports/refusal.js'
import type { ReadModel } from '../../../../application/reading/ports/read-model.js'
import { writeAnswer } from './answer-texts.js'
import {
  messageSize,
  type FromReader,
  type Refused,
  type Request,
  type Response,
  type ToReader,
} from './protocol.js'

/** Answers the requests of the main thread from a read model in this one. */
export function serveReads(model: ReadModel, port: MessagePort, log: Log): void {
  const responses = new Responses(port)
  const send = (message: FromReader) => {
    port.postMessage(message)
  }
  /** By request, whose id is free again when it has its response. */
  const underWay: (Cancellation | undefined)[] = []
  const answer = async (request: Request) => {
    const cancellation = new Cancellation()
    underWay[request.id] = cancellation
    try {
      const response = await responseOf(model, request, cancellation)
      underWay[request.id] = undefined
      responses.add(response)
    } catch (error) {
      underWay[request.id] = undefined
      responses.refuse(refusedOf(request, error, log))
    }
  }
  port.on('message', (message: ToReader) => {
    switch (message.kind) {
      case 'requests':
        for (const request of requestsIn(message.requests)) void answer(request)
        return
      case 'cancelled':
        for (const id of message.ids) underWay[id]?.cancel()
        return
      case 'close':
        void model.close().then(() => {
          port.close()
        })
    }
  })
  model.watch(() => {
    send({ kind: 'status', status: model.status })
  })
  send({ kind: 'opened', status: model.status })
}

/** Responses of one tick go together. */
class Responses {
  private responses: Response[] = []
  private refused: Refused[] = []
  private isSendingSoon = false

  constructor(private readonly port: MessagePort) {}

  add(response: Response): void {
    this.responses.push(response)
    if (this.responses.length < messageSize) this.sendSoon()
    else this.sendNow()
  }

  refuse(refused: Refused): void {
    this.refused.push(refused)
    this.sendSoon()
  }

  private sendSoon(): void {
    if (!this.isSendingSoon) setImmediate(this.sendAtEndOfTick)
    this.isSendingSoon = true
  }

  private readonly sendAtEndOfTick = (): void => {
    this.isSendingSoon = false
    if (this.responses.length + this.refused.length > 0) this.sendNow()
  }

  private sendNow(): void {
    const { responses, refused } = this
    this.responses = []
    this.refused = []
    const message: FromReader = { kind: 'responses', responses, refused }
    this.port.postMessage(message)
  }
}

function requestsIn(text: string): readonly Request[] {
  // The main thread is of the same program.
  return JSON.parse(text) as readonly Request[]
}

/** Lines of the log that the main thread writes. */
export function logOver(port: MessagePort): Log {
  const line = (level: keyof Log) => (details: object, message: string) => {
    const sent: FromReader = { kind: 'log', level, details, message }
    port.postMessage(sent)
  }
  return { info: line('info'), warn: line('warn'), error: line('error') }
}

async function responseOf(
  model: ReadModel,
  { id, name, query, want: { position, waitMs } }: Request,
  cancellation: Cancellation,
): Promise<Response> {
  const answer = await model.query(name, query, { position, waitMs, cancellation })

  const value = answer.value === undefined ? undefined : writeAnswer(name, answer.value)
  return [id, answer.position, answer.logTime, value]
}

function refusedOf({ id }: Request, error: unknown, log: Log): Refused {
  if (!(error instanceof Refusal)) log.error({ reason: String(error) }, 'a read failed')
  return {
    id,
    code: error instanceof Refusal ? error.code : undefined,
    position: error instanceof RefusalAt ? error.position : undefined,
  }
}

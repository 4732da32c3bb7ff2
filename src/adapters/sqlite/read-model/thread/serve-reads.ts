import type { MessagePort } from 'node:worker_threads'
import { Cancellation } from '../../../../application/ports/cancellation.js'
import type { Log } from '../../../../application/ports/log.js'
import { Refusal, RefusalAt } from '../../../../application/ports/refusal.js'
import type {
  AnswerOf,
  QueryName,
  ReadModel,
} from '../../../../application/reading/ports/read-model.js'
import { writeAnswer } from './answer-texts.js'
import { LentProfiles } from './lent-profiles.js'
import { MessageBatch } from '../../threads.js'
import type { FromReader, Refused, Request, Response, ToReader } from './protocol.js'

/**
 * Answers the queries that the main thread sends, from the read model in this thread. `lent` tracks the answers that
 * the main thread keeps.
 */
export function serveReads(
  model: ReadModel,
  port: MessagePort,
  log: Log,
  lent = new LentProfiles(),
): void {
  const send = (message: FromReader) => {
    const changed = lent.takeEnded()
    port.postMessage(changed === undefined ? message : { ...message, changed })
  }
  const batch = new MessageBatch<Response | Refused>((responses) => {
    send({ kind: 'responses', responses })
  })
  /**
   * The cancellations of the queries in progress, by request id. After a request has its response, its id can
   * be reused.
   */
  const inProgress: (Cancellation | undefined)[] = []
  const answer = async (request: Request) => {
    const cancellation = new Cancellation()
    inProgress[request.id] = cancellation
    try {
      const { value, position, logTime } = await queried(model, request, cancellation)
      const text = value === undefined ? undefined : writeAnswer(request.name, value)
      batch.add([request.id, position, logTime, text, lent.mayKeep(value)])
    } catch (error) {
      batch.add(refusedOf(request, error, log))
    }
    inProgress[request.id] = undefined
  }
  port.on('message', (message: ToReader) => {
    switch (message.kind) {
      case 'requests':
        for (const request of requestsIn(message.requests)) void answer(request)
        return
      case 'cancelled':
        inProgress[message.id]?.cancel()
        return
      case 'close':
        void model.close().then(() => {
          port.close()
        })
    }
  })
  model.watch(() => {
    // Sends the responses first, because the status may name answers in these responses as changed.
    batch.sendNow()
    send({ kind: 'status', status: model.status })
  })
  send({ kind: 'opened', status: model.status })
}

function requestsIn(text: string): readonly Request[] {
  // Not validated: the main thread wrote the text, and it runs the same program.
  return JSON.parse(text) as readonly Request[]
}

/** Returns a log that sends its lines to the main thread, which writes them to the application log. */
export function logOver(port: MessagePort): Log {
  const line = (level: keyof Log) => (details: object, message: string) => {
    const sent: FromReader = { kind: 'log', level, details, message }
    port.postMessage(sent)
  }
  return { info: line('info'), warn: line('warn'), error: line('error') }
}

function queried(
  model: ReadModel,
  { name, query, want: { position, waitMs } }: Request,
  cancellation: Cancellation,
): Promise<AnswerOf<QueryName>> {
  return model.query(name, query, { position, waitMs, cancellation })
}

function refusedOf({ id }: Request, error: unknown, log: Log): Refused {
  if (!(error instanceof Refusal)) log.error({ reason: String(error) }, 'a query failed')
  return {
    id,
    code: error instanceof Refusal ? error.code : undefined,
    position: error instanceof RefusalAt ? error.position : undefined,
  }
}

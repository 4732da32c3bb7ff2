import type { MessagePort } from 'node:worker_threads'
import { Cancellation } from '../../application/ports/cancellation.js'
import type { Log } from '../../application/ports/log.js'
import { Overloaded } from '../../application/ports/store-errors.js'
import {
  PositionUnknown,
  ReadModelBehind,
  SegmentBuilding,
  TooManyFacts,
} from '../../application/reading/errors.js'
import type { ReadModel } from '../../application/reading/ports/read-model.js'
import type { Asked, FromReader, Outcome, Refusal, ToReader } from './protocol.js'

/** Answers the main thread from a read model in this one. */
export function serveReads(model: ReadModel, port: MessagePort, log: Log): void {
  let outbox: Outcome[] = []
  const send = (message: FromReader) => {
    port.postMessage(message)
  }
  const flush = () => {
    const outcomes = outbox
    outbox = []
    send({ kind: 'outcomes', outcomes })
  }
  /** By question, whose id is free again when it is answered. */
  const underWay: (Cancellation | undefined)[] = []
  const answer = async (asked: Asked) => {
    const cancellation = new Cancellation()
    underWay[asked.id] = cancellation
    const outcome = await outcomeOf(model, asked, cancellation, log)
    underWay[asked.id] = undefined
    if (outbox.length === 0) setImmediate(flush)
    outbox.push(outcome)
  }
  port.on('message', (message: ToReader) => {
    switch (message.kind) {
      case 'asked':
        for (const asked of message.asked) void answer(asked)
        return
      case 'given_up':
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

/** Lines of the log that the main thread writes. */
export function logOver(port: MessagePort): Log {
  const line = (level: keyof Log) => (details: object, message: string) => {
    const sent: FromReader = { kind: 'log', level, details, message }
    port.postMessage(sent)
  }
  return { info: line('info'), warn: line('warn'), error: line('error') }
}

async function outcomeOf(
  model: ReadModel,
  { id, name, query, want }: Asked,
  cancellation: Cancellation,
  log: Log,
): Promise<Outcome> {
  try {
    const { position, waitMs } = want
    const answer = await model.ask(name, query, { position, waitMs, cancellation })
    const value = answer.value === undefined ? undefined : JSON.stringify(answer.value)
    return { id, value, position: answer.position, logTime: answer.logTime }
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === 'failed') log.error({ reason: String(error) }, 'a read failed')
    const known =
      error instanceof ReadModelBehind ||
      error instanceof PositionUnknown ||
      error instanceof SegmentBuilding
    return { id, refusal, position: known ? error.position : model.status.applied.position }
  }
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof ReadModelBehind) return 'behind'
  if (error instanceof PositionUnknown) return 'unknown'
  if (error instanceof SegmentBuilding) return 'segment_building'
  if (error instanceof Overloaded) return 'overloaded'
  return error instanceof TooManyFacts ? 'too_many' : 'failed'
}

import { z } from 'zod'
import type { BatchItem } from '../../../application/recording/run-batch.js'
import type { Clock } from '../../../application/ports/clock.js'
import type { UseCases } from '../../../application/use-cases.js'
import { isLongerThan } from '../../../domain/name.js'
import type { RuleViolation } from '../../../domain/rule-violation.js'
import { maxIdempotencyKeyLength, idempotencyKeyFormat } from '../requests/request-headers.js'
import { brokenRules, check } from '../requests/validate.js'
import { createEntity, updateEntity } from './entities.js'
import { recordEventBy } from './events.js'
import { jsonSchema } from './operations.js'
import { keeping } from './schemas.js'
import type { WriteOperation } from './write-operation.js'
import type { WriteAnswer } from './write-reply.js'

/** An item as it was sent: its operation, its key, and the fields of that operation's body. */
export type Item = Readonly<Record<string, unknown>>

const idempotencyKey = z
  .string()
  .check(keeping(keyViolations))
  .optional()
  .meta({ description: 'As the header Idempotency-Key is.', pattern: idempotencyKeyFormat.source })

const itemHead = z.strictObject({ idempotency_key: idempotencyKey })

function keyViolations(key: string): readonly RuleViolation[] {
  if (idempotencyKeyFormat.test(key)) return []
  if (key === '') return [{ path: [], code: 'empty', message: 'must not be empty' }]
  if (isLongerThan(key, maxIdempotencyKeyLength)) {
    const message = `must have at most ${String(maxIdempotencyKeyLength)} characters`
    return [{ path: [], code: 'too_long', message }]
  }
  return [{ path: [], code: 'bad_characters', message: 'must be visible ASCII' }]
}

/** What reads the items of one operation. */
interface ItemReader {
  readonly schema: z.ZodObject
  /** Throws `validation_failed` with the paths in the item. */
  read(item: Item, useCases: UseCases, requestId: string): BatchItem<WriteAnswer>
}

function readerOf<Body>(operation: WriteOperation<Body>): ItemReader {
  return {
    schema: operation.body,
    read: ({ op: _, idempotency_key, ...fields }, useCases, requestId) => {
      const head = check(itemHead, { idempotency_key })
      const body = check(operation.body, fields)
      if (head.details !== undefined || body.details !== undefined) {
        throw brokenRules([...(head.details ?? []), ...(body.details ?? [])])
      }
      const context = { requestId, idempotencyKey: head.value.idempotency_key }
      return {
        entity: operation.entityOf(body.value),
        run: () => operation.answer(useCases, body.value, context),
      }
    },
  }
}

/** Reads items by their operation, and times by this clock. */
export class ItemReaders {
  private readonly readers: ReadonlyMap<unknown, ItemReader>

  constructor(clock: Clock) {
    this.readers = new Map([
      ['create_entity', readerOf(createEntity)],
      ['update_entity', readerOf(updateEntity)],
      ['record_event', readerOf(recordEventBy(clock))],
    ])
  }

  /** The item, ready to run. Throws `validation_failed` with the paths in the item. */
  read(item: Item, useCases: UseCases, requestId: string): BatchItem<WriteAnswer> {
    const reader = this.readers.get(item['op'])
    if (reader === undefined) throw brokenRules([unknownOperation(item['op'], this.operations)])
    return reader.read(item, useCases, requestId)
  }

  /** The JSON Schemas of the items, one an operation. */
  schemas(): readonly object[] {
    return [...this.readers].map(([op, { schema }]) => {
      const head = { op: z.literal(String(op)), idempotency_key: idempotencyKey }
      return jsonSchema(z.strictObject({ ...head, ...schema.shape }), 'input')
    })
  }

  private get operations(): readonly string[] {
    return [...this.readers.keys()].map(String)
  }
}

function unknownOperation(op: unknown, operations: readonly string[]) {
  if (op === undefined) return { path: '/op', code: 'required', message: 'is required' } as const
  if (typeof op !== 'string') {
    return { path: '/op', code: 'wrong_type', message: 'must be a string' } as const
  }
  const message = `must be one of ${operations.join(', ')}`
  return { path: '/op', code: 'unknown_operation', message } as const
}

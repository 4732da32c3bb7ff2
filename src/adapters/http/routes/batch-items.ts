import { z } from 'zod'
import type { BatchItem } from '../../../application/recording/run-batch.js'
import type { Clock } from '../../../application/ports/clock-and-ids.js'
import type { UseCases } from '../../../application/use-cases.js'
import type { RequestContext } from '../../../application/recording/append-decision.js'
import { isLongerThan } from '../../../domain/name.js'
import { broken, isEmpty, tooLong, type RuleViolation } from '../../../domain/rule-violation.js'
import { maxIdempotencyKeyLength, idempotencyKeyFormat } from '../requests/request-headers.js'
import { brokenRules, check, type Checked } from '../requests/validate.js'
import { createEntityBy, updateEntityBy } from './entities.js'
import { recordEventBy } from './events.js'
import { addToSegment, removeFromSegment } from './hand-members.js'
import { keeping } from '../schemas/common.js'
import { voidEvent } from './void-event.js'
import type { WriteOperation, WriteAnswer } from '../replies/write-reply.js'

/** An item as sent: `op`, an optional `idempotency_key`, and the body fields of the operation. */
export type Item = Readonly<Record<string, unknown>>

const idempotencyKey = z.string().check(keeping(keyViolations)).optional().meta({
  description: 'The idempotency key. The rules of the header Idempotency-Key apply.',
  pattern: idempotencyKeyFormat.source,
})

const itemHead = z.strictObject({ idempotency_key: idempotencyKey })

const keyless: Checked<z.infer<typeof itemHead>> = { value: {} }

function keyViolations(key: string): readonly RuleViolation[] {
  if (idempotencyKeyFormat.test(key)) return []
  if (key === '') return [isEmpty]
  if (isLongerThan(key, maxIdempotencyKeyLength)) return [tooLong(maxIdempotencyKeyLength)]
  return [broken('bad_characters', 'must be visible ASCII')]
}

interface CheckedItem {
  readonly entity: string
  answer(useCases: UseCases, context: RequestContext): Promise<WriteAnswer>
}

interface ItemReader {
  readonly schema: z.ZodObject
  read(fields: object, maxDetails: number): Checked<CheckedItem>
}

function readerOf<Body>(operation: WriteOperation<Body>): ItemReader {
  return {
    schema: operation.body,
    read: (fields, maxDetails) => {
      const checked = check(operation.body, fields, maxDetails)
      if (checked.details !== undefined) return checked
      const { value } = checked
      return {
        value: {
          entity: operation.entityOf(value),
          answer: (useCases, context) => operation.answer(useCases, value, context),
        },
      }
    },
  }
}

/** Parses the items of batches. The clock decides whether the time of an event is in the future. */
export class ItemReaders {
  private readonly readers: ReadonlyMap<unknown, ItemReader>

  constructor(clock: Clock) {
    this.readers = new Map([
      ['create_entity', readerOf(createEntityBy(clock))],
      ['update_entity', readerOf(updateEntityBy(clock))],
      ['record_event', readerOf(recordEventBy(clock))],
      ['void_event', readerOf(voidEvent)],
      ['add_to_segment', readerOf(addToSegment)],
      ['remove_from_segment', readerOf(removeFromSegment)],
    ])
  }

  /**
   * Returns the item ready to run. Throws `validation_failed` with at most `maxDetails` details
   * about the fields, and at most `maxDetails` details about the idempotency key. The paths of the
   * details are relative to the item.
   */
  read(
    item: Item,
    useCases: UseCases,
    request: Omit<RequestContext, 'idempotencyKey'>,
    maxDetails: number,
  ): BatchItem<WriteAnswer> {
    const { op, idempotency_key, ...fields } = item
    const head =
      idempotency_key === undefined ? keyless : check(itemHead, { idempotency_key }, maxDetails)
    const checked = this.readers.get(op)?.read(fields, maxDetails) ?? this.unknownOperation(op)
    if (head.details !== undefined || checked.details !== undefined) {
      throw brokenRules([...(head.details ?? []), ...(checked.details ?? [])])
    }
    const context = { ...request, idempotencyKey: head.value.idempotency_key }
    const { value } = checked
    return { entity: value.entity, run: () => value.answer(useCases, context) }
  }

  /** Returns the schema of an item with any operation, for the OpenAPI document. */
  schema(): z.ZodType {
    const items = [...this.readers].map(([op, { schema }]) =>
      z.strictObject({
        op: z.literal(String(op)).meta({ description: 'The kind of write.' }),
        idempotency_key: idempotencyKey,
        ...schema.shape,
      }),
    )
    const [first, ...others] = items
    if (first === undefined) throw new TypeError('a batch has no operations')
    return z
      .discriminatedUnion('op', [first, ...others])
      .meta({ id: 'BatchItem', description: 'One write of a batch.' })
  }

  private unknownOperation(op: unknown) {
    return { details: [unknownOperation(op, [...this.readers.keys()].map(String))] }
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

import { z } from 'zod'
import type { Preview } from '../../../application/reading/preview-rule.js'
import type {
  PreviewChange,
  PreviewResult,
  PreviewStep,
} from '../../../application/reading/preview-steps.js'
import { Refusal } from '../../../application/ports/refusal.js'
import { faultOf } from '../errors/fault-of.js'
import { faultData } from '../errors/fault-body.js'
import { countRule } from '../routes/rule-schemas.js'
import { count, externalId, itemsOf, timestamp } from '../routes/schemas.js'
import { digest } from '../routes/segment-schemas.js'
import type { StreamWriter } from './send-stream.js'

const place = {
  position: z.string().meta({ description: 'Where in the log it is exact.' }),
  log_time: timestamp,
}
const sample = z.array(z.string()).meta({
  description:
    'Some external_ids at random, in the order of creation: the same of the same members.',
})
const change = z
  .strictObject({ count: count.meta({ description: 'The number of entities.' }), sample })
  .meta({ id: 'PreviewChange' })
const top = z
  .strictObject({
    by: countRule.meta({ description: 'The condition, as the rule has it.' }),
    items: itemsOf(
      z
        .strictObject({
          external_id: externalId,
          count: count.meta({ description: 'How many events it counts, whatever it asks for.' }),
          sum: z
            .number()
            .nullable()
            .meta({ description: 'Of what was asked for, as doubles; null where nothing was.' }),
        })
        .meta({ id: 'RankedMember' }),
      'The members, the highest first.',
    ),
  })
  .meta({ id: 'PreviewRanking' })
  .nullable()
  .meta({
    description:
      'Up to 20 members with the highest sums, or else with the most events, by the first condition of the ' +
      'rule on how many events there are; null where it has none but below `not`.',
  })

export const previewFrames = {
  estimate: z
    .strictObject({
      ...place,
      entities: count.meta({ description: 'How many there are.' }),
      looked_at: count.meta({ description: 'How many of them were looked at, at random.' }),
      members: count.meta({ description: 'How many the rule would catch of all, estimated.' }),
      low: count.meta({ description: 'In 95 of 100 estimates, there are at least so many.' }),
      high: count.meta({ description: 'And at most so many.' }),
    })
    .meta({ id: 'PreviewEstimate' }),
  progress: z
    .strictObject({
      entities: count.meta({ description: 'The number of all entities.' }),
      done: count.meta({ description: 'How many of them were looked at.' }),
      members: count.meta({ description: 'How many of those the rule catches.' }),
    })
    .meta({ id: 'PreviewProgress' }),
  result: z
    .strictObject({
      ...place,
      members: count.meta({ description: 'The exact number of members.' }),
      digest,
      sample,
      entering: change.meta({ description: 'Entities that would enter the compared segment.' }),
      leaving: change.meta({ description: 'Entities that would leave the compared segment.' }),
      top,
      event_names: z
        .array(z.string())
        .meta({ description: 'Of all events that there are; of more than 50, those met first.' }),
      unseen_events: z
        .array(z.string())
        .meta({ description: 'Names in the rule of which there is no event.' }),
    })
    .meta({ id: 'PreviewResult' }),
}

type FrameData = {
  readonly [Name in keyof typeof previewFrames]: z.infer<(typeof previewFrames)[Name]>
}

/** Writes the steps of a preview as server-sent events. Cancels the preview when the stream ends. */
export class PreviewWriter implements StreamWriter {
  private isOver = false

  constructor(
    private readonly preview: Preview,
    private readonly requestId: string,
  ) {}

  /** Does nothing: a preview sends enough frames of its own to keep the connection alive. */
  beat(): void {
    return
  }

  end(): void {
    this.isOver = true
    this.preview.cancel()
  }

  async *chunks(begin: () => void): AsyncGenerator<Buffer> {
    begin()
    try {
      for await (const step of this.preview.steps()) {
        if (this.isOver) return
        yield frame(step.kind, this.dataOf(step))
      }
    } catch (error) {
      if (this.isOver) return
      if (!(error instanceof Refusal)) throw error
      yield frame('fault', faultData(faultOf(error), this.requestId, 'read'))
    }
  }

  private dataOf(step: PreviewStep): FrameData[PreviewStep['kind']] {
    switch (step.kind) {
      case 'estimate': {
        const { entities, lookedAt: looked_at, members, low, high } = step
        return { ...this.place, entities, looked_at, members, low, high }
      }
      case 'progress': {
        const { entities, done, members } = step
        return { entities, done, members }
      }
      case 'result': {
        const { members, digest: summed, sample: some, entering, leaving, events } = step
        return {
          ...this.place,
          members,
          digest: summed,
          sample: [...some],
          entering: changeData(entering),
          leaving: changeData(leaving),
          top: rankingData(step),
          event_names: [...events.names],
          unseen_events: [...events.unseen],
        }
      }
    }
  }

  private get place() {
    const { position, logTime } = this.preview
    return { position: String(position), log_time: new Date(logTime).toISOString() }
  }
}

function rankingData({ by, top: ranked, isSummed }: PreviewResult): z.infer<typeof top> {
  if (by === undefined) return null
  const items = ranked.map(({ externalId: external_id, count: all, sum }) => ({
    external_id,
    count: all,
    sum: isSummed ? sum : null,
  }))
  return { by, items }
}

function changeData({ count: all, sample: some }: PreviewChange): z.infer<typeof change> {
  return { count: all, sample: [...some] }
}

function frame(event: string, data: object): Buffer {
  return Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
}

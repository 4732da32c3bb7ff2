import { z } from 'zod'
import type { Preview } from '../../../application/reading/preview-rule.js'
import type {
  PreviewChange,
  PreviewResult,
  PreviewStep,
} from '../../../application/reading/preview-steps.js'
import { countRule } from '../schemas/rule-schemas.js'
import { count, externalId, itemsOf, timestamp } from '../schemas/common.js'
import { digest } from '../schemas/segment-schemas.js'
import { StepWriter } from './step-writer.js'

const place = {
  position: z.string().meta({ description: 'The position at which the result is exact.' }),
  log_time: timestamp,
}
const sample = z.array(z.string()).meta({
  description:
    'A random sample of external_ids, in creation order. The same members always give the same ' +
    'sample.',
})
const change = z
  .strictObject({ count: count.meta({ description: 'The number of entities.' }), sample })
  .meta({ id: 'PreviewChange' })
const top = z
  .strictObject({
    by: countRule.meta({
      description: 'The condition of the rule by which the members are ranked.',
    }),
    items: itemsOf(
      z
        .strictObject({
          external_id: externalId,
          count: count.meta({
            description:
              'The number of events that match the condition. The required number of events is ignored.',
          }),
          sum: z.number().nullable().meta({
            description:
              'The sum of the requested number, as a double. Null if none was requested.',
          }),
        })
        .meta({ id: 'RankedMember' }),
      'The members, the highest first.',
    ),
  })
  .meta({ id: 'PreviewRanking' })
  .nullable()
  .meta({
    description:
      'Up to 20 members, ranked by the first condition of the rule that counts events. The ' +
      'members with the highest sums are first, or without a requested sum those with the most ' +
      'events. Null if the rule counts no events outside `not`.',
  })

export const previewFrames = {
  estimate: z
    .strictObject({
      ...place,
      entities: count.meta({ description: 'The number of all entities.' }),
      looked_at: count.meta({ description: 'The number of entities in the random sample.' }),
      members: count.meta({
        description: 'The estimated number of entities that the rule matches.',
      }),
      low: count.meta({ description: 'The lower bound of the 95 % confidence interval.' }),
      high: count.meta({ description: 'The upper bound of the 95 % confidence interval.' }),
    })
    .meta({ id: 'PreviewEstimate' }),
  progress: z
    .strictObject({
      entities: count.meta({ description: 'The number of all entities.' }),
      done: count.meta({ description: 'The number of evaluated entities.' }),
      members: count.meta({
        description: 'The number of evaluated entities that the rule matches.',
      }),
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
      event_names: z.array(z.string()).meta({
        description:
          'The names of all recorded events. If there are more than 50, the first 50 that were found.',
      }),
      unseen_events: z
        .array(z.string())
        .meta({ description: 'The event names in the rule that no recorded event has.' }),
    })
    .meta({ id: 'PreviewResult' }),
}

type FrameData = {
  readonly [Name in keyof typeof previewFrames]: z.infer<(typeof previewFrames)[Name]>
}

/** Writes the steps of a preview. */
export class PreviewWriter extends StepWriter<PreviewStep> {
  constructor(
    private readonly preview: Preview,
    requestId: string,
  ) {
    super(preview, requestId)
  }

  /**
   * Calls `begin`, which removes the timeout of the socket. A preview can take longer than the
   * timeout.
   */
  override async *chunks(begin: () => void): AsyncGenerator<Buffer> {
    begin()
    yield* super.chunks(begin)
  }

  protected override dataOf(step: PreviewStep): FrameData[PreviewStep['kind']] {
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

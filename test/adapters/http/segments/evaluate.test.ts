import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { expectFault, expectInvalid } from '../../../support/fault-expectation.js'
import { httpService, readKey, type HttpService } from '../../../support/http-service.js'
import { post } from '../../../support/post.js'

const at = '2026-11-20T09:30:00.000Z'
const path = '/segments/evaluate'

const membership = {
  member: true,
  since: at,
  until: undefined,
  periods: [],
  why: { everyone: true, holds: true, until: null },
}

let service: HttpService
beforeEach(async () => {
  service = httpService()
  await post(service.server, '/entities', { external_id: 'ada' })
  const { planned } = service.readModel
  planned.segments = () => []
  planned.evaluateRule = ({ externalIds }) =>
    externalIds.map((externalId) => ({
      externalId,
      membership: externalId === 'ada' ? membership : undefined,
    }))
})
afterEach(() => service.server.close())

function evaluate(body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return service.server.inject({
    method: 'POST',
    url: path,
    headers: {
      authorization: `Bearer ${readKey}`,
      'content-type': 'application/json',
      ...headers,
    },
    payload: JSON.stringify(body),
  })
}

const rule = { event: 'buy', within: '90d' }

describe('POST /segments/evaluate', () => {
  test('returns whether the rule holds for each entity, and why', async () => {
    const reply = await evaluate({ rule, external_ids: ['ada', 'eve'] })
    expect(reply.json()).toEqual({
      status: 'success',
      data: {
        items: [
          {
            external_id: 'ada',
            exists: true,
            member: true,
            since: at,
            until: null,
            periods: [],
            why: { everyone: true, holds: true, until: null },
          },
          {
            external_id: 'eve',
            exists: false,
            member: false,
            since: null,
            until: null,
            periods: [],
            why: null,
          },
        ],
      },
    })
    expect(reply.headers).toMatchObject({
      position: '1',
      'log-time': at,
      'cache-control': 'no-store',
    })
  })

  test('can evaluate the past', async () => {
    const past = { as_of: '2026-11-19T00:00:00Z', known_at: '2026-11-18T00:00:00Z' }
    expect((await evaluate({ rule, external_ids: ['ada'], ...past })).statusCode).toBe(200)
    expect(service.readModel.asked.at(-1)).toEqual({
      name: 'evaluateRule',
      query: {
        rule,
        externalIds: ['ada'],
        asOf: Date.UTC(2026, 10, 19),
        knownAt: Date.UTC(2026, 10, 18),
      },
    })
  })

  test('reports all faults together', async () => {
    const reply = await evaluate({
      rule: { all: [] },
      external_ids: ['ada', 7, ' '],
      as_of: 'yesterday',
      known_at: '2027-01-01T00:00:00Z',
      more: 1,
    })
    expectInvalid(
      reply,
      '/rule/all empty',
      '/external_ids/1 wrong_type',
      '/external_ids/2 bad_characters',
      '/as_of not_a_time',
      '/known_at in_future',
      '/more unknown_field',
    )
  })

  test.each<[unknown, string[]]>([
    [{}, ['/rule required', '/external_ids required']],
    [{ rule, external_ids: [] }, ['/external_ids empty']],
    [{ rule, external_ids: 'ada' }, ['/external_ids wrong_type']],
    [{ rule, external_ids: Array(101).fill('ada') }, ['/external_ids too_many']],
  ])('refuses %j', async (body, expected) => {
    expectInvalid(await evaluate(body), ...expected)
  })

  test.each(['and', 'or', 'performed'])(
    'refuses a rule with "%s", and lists the allowed words',
    async (word) => {
      const reply = await evaluate({ rule: { [word]: [rule] }, external_ids: ['ada'] })
      expect(expectFault(reply, 422, 'validation_failed').details).toEqual([
        {
          path: `/rule/${word}`,
          code: 'unknown_field',
          message:
            'is not known here: there may be all, any, not, everyone, segment, created, property, event, bucket',
        },
      ])
    },
  )

  test('refuses a rule that refers to a missing segment; for the past, the read model decides', async () => {
    const named = { rule: { not: { segment: 'none' } }, external_ids: ['ada'] }
    expectInvalid(await evaluate(named), '/rule/not/segment unknown_segment')
    const past = await evaluate({ ...named, known_at: '2026-11-18T00:00:00Z' })
    expect(past.statusCode).toBe(200)
  })

  test('does not mention storing when it refuses', async () => {
    service.readModel.beginBuilding()
    const { message } = expectFault(
      await evaluate({ rule, external_ids: ['ada'] }),
      503,
      'read_model_behind',
    )
    expect(message).not.toContain('stored')
  })
})

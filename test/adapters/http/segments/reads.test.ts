import { beforeEach, describe, expect, test } from '@jest/globals'
import { Refusal } from '../../../../src/application/ports/refusal.js'
import type {
  Explanation,
  SegmentInfo,
  SegmentMember,
} from '../../../../src/application/segments/ports/segment-queries.js'
import { JsonText } from '../../../../src/domain/json.js'
import { expectFault } from '../../../support/fault-expectation.js'
import { addSegment } from '../../../support/feed-facts.js'
import { get } from '../../../support/get.js'
import { defineKey, httpService, type HttpService } from '../../../support/http-service.js'
import { post } from '../../../support/post.js'
import { byHand, define } from '../../../support/segment-requests.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const at = '2026-11-20T09:30:00.000Z'
const info: SegmentInfo = {
  key: 'buyers',
  version: 3,
  title: 'Buyers',
  kind: 'rule',
  rule: { event: 'buy' },
  status: 'live',
  servingVersion: 3,
  progress: undefined,
  members: 2,
  digest: '0123456789abcdef',
  definedAt: at,
}
const shown = {
  key: 'buyers',
  version: 3,
  title: 'Buyers',
  kind: 'rule',
  rule: { event: 'buy' },
  status: 'live',
  serving_version: 3,
  progress: null,
  members: 2,
  digest: '0123456789abcdef',
  defined_at: at,
}
const building: SegmentInfo = {
  ...info,
  key: 'testers',
  kind: 'hand',
  rule: undefined,
  status: 'building',
  servingVersion: undefined,
  progress: 0.25,
  members: undefined,
  digest: undefined,
}
const explanation: Explanation = {
  segment: 'buyers',
  version: 3,
  member: false,
  since: undefined,
  until: at,
  periods: [
    {
      entered: { at, cause: { kind: 'event', factId: 'f' } },
      left: { at, cause: { kind: 'time' } },
    },
    { entered: { at, cause: { kind: 'hand', factId: 'g' } }, left: undefined },
  ],
  why: { event: 'buy', holds: false, counted: 0, needed: { gte: 1 }, evidence: [], until: at },
}
const shownMembership = {
  member: false,
  since: null,
  until: at,
  periods: [
    {
      entered: { at, cause: { kind: 'event', fact_id: 'f' } },
      left: { at, cause: { kind: 'time' } },
    },
    { entered: { at, cause: { kind: 'hand', fact_id: 'g' } }, left: null },
  ],
  why: explanation.why,
}

const service = sharedHttpService()
beforeEach(async () => {
  await post(service.server, '/entities', { external_id: 'ada' })
})

/** Returns the latest query of the read model. */
const asked = () => service.readModel.asked.at(-1)

/** All reads, each with an answer of the read model and the expected reply. */
const reads: readonly {
  readonly path: string
  readonly url: string
  readonly answer: (model: HttpService['readModel']['planned']) => void
  readonly data: object
  /** The reply while the segment is being built: a refusal, or data that says so. */
  readonly whileBuilt?: 'refused' | object
}[] = [
  {
    path: '/segments',
    url: '/segments',
    answer: (model) => (model.segmentList = () => ({ items: [info, building], next: undefined })),
    data: {
      next_cursor: null,
      items: [
        shown,
        {
          ...shown,
          key: 'testers',
          kind: 'hand',
          rule: null,
          status: 'building',
          serving_version: null,
          progress: 0.25,
          members: null,
          digest: null,
        },
      ],
    },
  },
  {
    path: '/segments/{key}',
    url: '/segments/buyers',
    answer: (model) => (model.segment = ({ key }) => (key === 'buyers' ? info : undefined)),
    data: shown,
  },
  {
    path: '/segments/{key}/versions',
    url: '/segments/buyers/versions',
    answer: (model) =>
      (model.segmentVersions = ({ key }) =>
        key === 'buyers'
          ? {
              items: [
                { ...building, version: 2, retiredAt: at },
                { ...info, version: 1, retiredAt: undefined },
              ],
              next: undefined,
            }
          : undefined),
    data: {
      next_cursor: null,
      items: [
        {
          key: 'testers',
          version: 2,
          title: 'Buyers',
          kind: 'hand',
          rule: null,
          defined_at: at,
          retired_at: at,
        },
        {
          key: 'buyers',
          version: 1,
          title: 'Buyers',
          kind: 'rule',
          rule: { event: 'buy' },
          defined_at: at,
          retired_at: null,
        },
      ],
    },
  },
  {
    path: '/segments/{key}/members',
    url: '/segments/buyers/members',
    answer: (model) =>
      (model.segmentMembers = ({ key }) =>
        key === 'buyers'
          ? {
              version: 3,
              members: 1,
              digest: info.digest ?? '',
              items: [{ externalId: 'ada', entityId: 'id', since: at }],
              next: undefined,
            }
          : undefined),
    data: {
      items: [{ external_id: 'ada', entity_id: 'id', since: at }],
      version: 3,
      members: 1,
      digest: info.digest,
      next_cursor: null,
    },
    whileBuilt: 'refused',
  },
  {
    path: '/entities/{external_id}/segments',
    url: '/entities/ada/segments',
    answer: (model) =>
      (model.entitySegments = ({ externalId }) =>
        externalId === 'ada'
          ? {
              items: [
                { key: 'a', version: 1, since: at, until: at },
                { key: 'b', version: 2, since: at, until: undefined },
              ],
              building: [],
            }
          : undefined),
    data: {
      items: [
        { key: 'a', version: 1, since: at, until: at },
        { key: 'b', version: 2, since: at, until: null },
      ],
    },
    whileBuilt: { items: [], segments_building: ['buyers'] },
  },
  {
    path: '/entities/{external_id}/segments/{key}',
    url: '/entities/ada/segments/buyers',
    answer: (model) =>
      (model.explainSegment = ({ externalId, key }) => ({
        entityExists: externalId === 'ada',
        explanation: key === 'buyers' ? explanation : undefined,
      })),
    data: { segment: 'buyers', version: 3, ...shownMembership },
    whileBuilt: 'refused',
  },
]

describe.each(reads)('GET $path', ({ path, url, answer, data, whileBuilt }) => {
  test('returns the answer of the read model, with Position and Log-Time', async () => {
    answer(service.readModel.planned)
    const reply = await get(service.server, url)
    expect(reply.json()).toEqual({ status: 'success', data })
    expect(reply.headers).toMatchObject({ position: '1', 'log-time': at })
  })

  test('returns 503 while the segment is being built, or lists it', async () => {
    addSegment(service.logged, 'buyers')
    const reply = await get(service.server, url)
    if (whileBuilt === 'refused') {
      expectFault(reply, 503, 'building')
      expect(reply.headers).toMatchObject({ 'retry-after': '1', position: '4' })
    } else {
      expect(reply.json()).toMatchObject({ status: 'success', data: whileBuilt ?? {} })
    }
  })

  test('returns 404 when the segment or entity is missing', async () => {
    answer(service.readModel.planned)
    if (path.includes('{key}')) {
      const reply = await get(service.server, url.replace('buyers', 'none'))
      expectFault(reply, 404, 'segment_not_found')
      expect(reply.headers['position']).toBe('1')
      const wrong = await get(service.server, url.replace('buyers', 'evaluate'))
      expect(expectFault(wrong, 422, 'validation_failed').details[0]?.path).toBe('/key')
    }
    if (path.includes('{external_id}')) {
      expectFault(await get(service.server, url.replace('ada', 'eve')), 404, 'entity_not_found')
      expectFault(await get(service.server, url.replace('ada', '%20')), 422, 'validation_failed')
    }
  })

  test('requires the scope, refuses unknown parameters, and waits for a position', async () => {
    answer(service.readModel.planned)
    const { server } = service
    expectFault(await get(server, url, { authorization: `Bearer ${defineKey}` }), 403, 'forbidden')
    expectFault(await get(server, `${url}?x=1`), 400, 'malformed_request')
    expectFault(await get(server, url, { position: '9' }), 412, 'position_unknown')
    service.readModel.beginBuilding()
    expectFault(await get(server, url), 503, 'read_model_behind')
  })
})

test('a segment has its version as its ETag', async () => {
  service.readModel.planned.segment = () => info
  expect((await get(service.server, '/segments/buyers')).headers.etag).toBe('"3"')
})

test('before the first fact, there is no log time', async () => {
  const { server, readModel } = httpService()
  readModel.planned.segmentList = () => ({ items: [], next: undefined })
  const reply = await get(server, '/segments')
  expect(reply.headers).not.toHaveProperty('log-time')
  await server.close()
})

test('a definition moves log time', async () => {
  const { server, readModel } = httpService()
  readModel.planned.segmentList = () => ({ items: [], next: undefined })
  await define(server, 'testers', byHand)
  const reply = await get(server, '/segments', { position: '1' })
  expect(reply.headers).toMatchObject({ position: '1', 'log-time': at })
  await server.close()
})

describe('the properties of members', () => {
  const path = '/segments/buyers/members'
  const members = (...items: readonly SegmentMember[]) => {
    const page = { version: 1, members: items.length, digest: info.digest ?? '', next: 1 }
    service.readModel.planned.segmentMembers = () => ({ ...page, items })
  }

  test('are sent with each item, for the requested pointers', async () => {
    const ada = { externalId: 'ada', entityId: 'id', since: at }
    members({ ...ada, properties: new JsonText('{"/email":"a","/a~1b":[1.0]}') }, ada)
    const reply = await get(service.server, `${path}?properties=/email,/a~1b,/none`)
    expect(asked()?.query).toMatchObject({ properties: ['/email', '/a~1b', '/none'] })
    expect(reply.body).toContain('"properties":{"/email":"a","/a~1b":[1.0]}}')
    expect(reply.json()).toMatchObject({
      data: { items: [{ external_id: 'ada' }, { external_id: 'ada', entity_id: 'id', since: at }] },
    })
  })

  test.each(['', 'email', '/email,', '/~2', Array(17).fill('/a').join(), '/a&properties=/a'])(
    'must be 1 to 16 pointers: %j is refused',
    async (properties) => {
      const reply = await get(service.server, `${path}?properties=${properties}`)
      expect(expectFault(reply, 400, 'malformed_request').message).toContain('"properties"')
    },
  )
})

describe.each(['/entities/ada/segments', '/entities/ada/segments/buyers'])(
  'the past of %s',
  (url) => {
    beforeEach(() => {
      service.readModel.planned.entitySegments = () => ({ items: [], building: [] })
      service.readModel.planned.explainSegment = () => ({ entityExists: true, explanation })
    })

    test('is requested with as_of and known_at', async () => {
      const query = 'as_of=2026-11-19T10:00:00%2B01:00&known_at=2026-11-18T00:00:00Z'
      expect((await get(service.server, `${url}?${query}`)).statusCode).toBe(200)
      expect(asked()?.query).toMatchObject({
        externalId: 'ada',
        asOf: Date.UTC(2026, 10, 19, 9),
        knownAt: Date.UTC(2026, 10, 18),
      })
    })

    test.each(['as_of', 'known_at'])(
      'of an entity that did not exist by %s returns 404',
      async (name) => {
        service.readModel.planned.entitySegments = () => undefined
        service.readModel.planned.explainSegment = () => ({
          entityExists: false,
          explanation: undefined,
        })
        const now = expectFault(await get(service.server, url), 404, 'entity_not_found')
        expect(now.message).toContain('Create it with POST')
        const reply = await get(service.server, `${url}?${name}=2026-11-19T00:00:00Z`)
        const { message } = expectFault(reply, 404, 'entity_not_found')
        expect(message).toContain('No entity had this external_id at that time')
        expect(message).not.toContain('Create it')
        expect(reply.headers['position']).toBe('1')
      },
    )

    test('refuses instants in the future, and too many facts', async () => {
      const future = await get(service.server, `${url}?as_of=2026-11-20T09:30:01Z`)
      expect(expectFault(future, 422, 'validation_failed').details).toMatchObject([
        { path: '/as_of', code: 'in_future' },
      ])
      const tooMany = () => {
        throw new Refusal('too_many_facts', 'too many')
      }
      Object.assign(service.readModel.planned, {
        entitySegments: tooMany,
        explainSegment: tooMany,
      })
      expectFault(await get(service.server, url), 422, 'too_many_facts')
    })
  },
)

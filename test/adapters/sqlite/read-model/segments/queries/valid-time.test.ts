import { expect, test } from '@jest/globals'
import type { PastBounds } from '../../../../../../src/application/segments/ports/segment-queries.js'
import { drivenProjections } from '../../../../../support/segments/driven-projections.js'
import { SmallLog } from '../../../../../support/segments/small-log.js'

const makeProjections = drivenProjections()

/** Formats an instant of January. */
const on = (dayAndTime: string) => `2026-01-${dayAndTime}Z`
const at = (dayAndTime: string) => Date.parse(on(dayAndTime))

async function explained(small: SmallLog, bounds: PastBounds, key = 's') {
  const driven = makeProjections()
  driven.addAll(small.log)
  await driven.settle()
  const { explanation } = await driven.query('explainSegment', {
    ...bounds,
    externalId: 'ada',
    key,
  })
  const inside = await driven.query('entitySegments', { ...bounds, externalId: 'ada' })
  expect(inside?.items.some((one) => one.key === key) ?? false).toBe(explanation?.member ?? false)
  return {
    member: explanation?.member,
    since: explanation?.since,
    periods: explanation?.periods.map(({ entered, left }) => [entered.at, left?.at ?? null]),
  }
}

test('an entity exists from an event that occurred before its creation', async () => {
  const small = new SmallLog()
    .defined(on('01T00:00:00.000'), 's', { event: 'buy', within: '9d' })
    .created(on('08T00:00:00.000'))
    .event('buy', on('09T00:00:00.000'), on('02T00:00:00.000'))
    .passed(on('20T00:00:00.000'))
  const asOf = at('08T12:00:00.000')
  expect(await explained(small, { asOf })).toEqual({
    member: true,
    since: on('02T00:00:00.000'),
    periods: [[on('02T00:00:00.000'), null]],
  })
  expect(await explained(small, { asOf, knownAt: asOf })).toMatchObject({ member: false })
  expect(await explained(small, { asOf: at('19T00:00:00.000') })).toMatchObject({
    member: false,
    periods: [[on('02T00:00:00.000'), on('11T00:00:00.000')]],
  })
})

test('the change recorded later wins, even if its timestamp is earlier', async () => {
  const small = new SmallLog()
    .defined(on('01T00:00:00.000'), 's', { property: '/plan', is: { eq: 'paid' } })
    .created(on('02T00:00:00.000'), { plan: 'free' })
    .changed(on('03T00:00:00.010'), { plan: 'paid' })
    .changed(on('03T00:00:00.009'), { plan: 'free' })
  expect(await explained(small, { knownAt: at('03T00:00:00.009') })).toMatchObject({ periods: [] })
  expect(await explained(small, {})).toMatchObject({ member: false })
  expect(await explained(small, { asOf: at('03T00:00:00.010') })).toMatchObject({ member: false })
})

test('the membership change by hand recorded later wins, even if its timestamp is earlier', async () => {
  const small = new SmallLog()
    .defined(on('01T00:00:00.000'), 's')
    .created(on('02T00:00:00.000'))
    .put(on('03T00:00:00.010'), 's')
    .taken(on('03T00:00:00.009'), 's')
  expect(await explained(small, { asOf: at('04T00:00:00.000') })).toEqual({
    member: false,
    since: undefined,
    periods: [],
  })
})

test('facts in effect at one instant cause one membership change', async () => {
  const once = { event: 'buy', count: { eq: 1 } } as const
  const small = new SmallLog()
    .defined(on('01T00:00:00.000'), 's', { not: once })
    .created(on('02T00:00:00.000'))
    .event('buy', on('03T00:00:00.000'))
    .event('buy', on('03T00:00:00.000'))
  expect(await explained(small, { asOf: at('04T00:00:00.000') })).toEqual({
    member: true,
    since: on('02T00:00:00.000'),
    periods: [[on('02T00:00:00.000'), null]],
  })
})

test('a condition that breaks and holds again at one instant has held since that instant', async () => {
  const small = new SmallLog()
    .defined(on('01T00:00:00.000'), 's', { property: '/plan', is: { eq: 'paid' }, for: '2d' })
    .created(on('02T00:00:00.000'), { plan: 'paid' })
    .changed(on('03T00:00:00.000'), { plan: 'free' })
    .changed(on('03T00:00:00.000'), { plan: 'paid' })
    .passed(on('09T00:00:00.000'))
  expect(await explained(small, {})).toMatchObject({ since: on('05T00:00:00.000') })
  expect(await explained(small, { asOf: at('06T00:00:00.000') })).toMatchObject({
    since: on('05T00:00:00.000'),
  })
})

test('a segment is served while another segment is backfilled', async () => {
  const before = new SmallLog()
    .defined(on('01T00:00:00.000'), 'r', { everyone: true })
    .created(on('02T00:00:00.000'))
  const after = new SmallLog()
    .defined(on('01T00:00:00.000'), 'r', { everyone: true })
    .created(on('02T00:00:00.000'))
    .defined(on('03T00:00:00.000'), 'r', { not: { everyone: true } })
    .defined(on('04T00:00:00.000'), 'hand')
    .put(on('05T00:00:00.000'), 'hand')
  const driven = makeProjections()
  driven.addAll(before.log)
  await driven.settle()
  driven.addAll(after.log.slice(before.log.length))
  await driven.publish()
  const { explanation } = await driven.query('explainSegment', { externalId: 'ada', key: 'r' })
  expect(explanation).toMatchObject({ version: 1, member: true })
  const asOf = at('06T00:00:00.000')
  expect(await driven.query('entitySegments', { externalId: 'ada', asOf })).toMatchObject({
    items: [
      { key: 'hand', version: 1, since: on('05T00:00:00.000') },
      { key: 'r', version: 1, since: on('02T00:00:00.000') },
    ],
    building: [],
  })
})

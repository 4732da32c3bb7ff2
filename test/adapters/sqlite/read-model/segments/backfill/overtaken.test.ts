import { beforeEach, expect, it } from '@jest/globals'
import {
  drivenProjections,
  type DrivenProjections,
} from '../../../../../support/segments/driven-projections.js'
import { SmallLog } from '../../../../../support/segments/small-log.js'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString()

const makeProjections = drivenProjections()
let driven: DrivenProjections

beforeEach(() => {
  driven = makeProjections()
})

function segment() {
  return driven.query('segment', { key: 's1' })
}

async function unpublished() {
  const { streams } = await driven.query('unpublished', { except: [] })
  return streams.flatMap(({ facts }) => facts)
}

function members() {
  return driven.query('segmentMembers', { key: 's1', limit: 1 })
}

it('a backfill is void after another definition, whichever process publishes it', async () => {
  const small = new SmallLog()
    .created(at(0), { plan: 'paid' })
    .defined(at(1), 's1', { property: '/plan', is: { eq: 'paid' } })
    .defined(at(2), 's1', { not: { everyone: true } })
  const [created, first, second] = small.log
  if (created === undefined || first === undefined || second === undefined) throw new Error('three')
  driven.add(created)
  driven.add(first)
  await driven.work(Infinity)
  const overtaken = await unpublished()
  expect(overtaken.map(({ data }) => data)).toMatchObject([{ version: 1, members: 1 }])
  driven.add(second)
  for (const fact of overtaken) driven.publishFact(fact)
  expect(await segment()).toMatchObject({ status: 'building', servingVersion: undefined })
  await expect(members()).rejects.toMatchObject({ code: 'building' })

  await driven.settle()
  expect(await segment()).toMatchObject({ status: 'live', servingVersion: 2 })
  expect(await members()).toMatchObject({ version: 2, members: 0 })
  for (const fact of overtaken) driven.publishFact(fact)
  await driven.settle()
  expect(await members()).toMatchObject({ version: 2, members: 0 })
})

it('a backfill publishes the members at its definition, not at its end', async () => {
  const small = new SmallLog()
    .created(at(0), { plan: 'paid' })
    .defined(at(1), 's1', { property: '/plan', is: { eq: 'paid' } })
    .changed(at(2), { plan: 'free' })
  driven.addAll(small.log)
  await driven.work(Infinity)
  const [built] = await unpublished()
  expect(built?.data).toMatchObject({ members: 1, builtAt: at(1) })
  await driven.settle()
  expect(await members()).toMatchObject({ members: 0, digest: '0000000000000000' })
})

import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { Metrics } from '../../../src/adapters/prometheus/metrics.js'
import type { ReadModel, ReadStatus } from '../../../src/application/reading/ports/read-model.js'
import { RefusalAt } from '../../../src/application/ports/refusal.js'
import { samplesIn } from '../../support/prometheus-text.js'

let now = 0
let metrics: Metrics
let status: ReadStatus
let counted: ReadModel
let answer: () => Promise<unknown>
let closed = 0

beforeEach(() => {
  now = 1_000
  jest.spyOn(performance, 'now').mockImplementation(() => now)
  metrics = new Metrics({ version: '1.2.3', faultCodes: [], maxInFlight: 9 })
  status = {
    applied: { position: 5, id: 'five' },
    reached: 5,
    newest: 5,
    isBuilding: false,
    fullProfiles: [],
    logTime: 1_700_000_000_500,
    builds: 1,
    trouble: undefined,
  }
  answer = () => Promise.resolve({ value: undefined, position: 5 })
  closed = 0
  const model: ReadModel = {
    get status() {
      return status
    },
    // The answers of this test have the form of none.
    query: () => answer() as Promise<never>,
    watch: () => () => undefined,
    close: () => {
      closed += 1
      return Promise.resolve()
    },
  }
  counted = metrics.reading(model)
})
afterEach(async () => {
  await counted.close()
  expect(closed).toBe(1)
  jest.restoreAllMocks()
})

async function samples(): Promise<ReadonlyMap<string, number>> {
  return samplesIn(await metrics.text())
}

async function acknowledge(position: string): Promise<void> {
  await metrics.appends.count(() => Promise.resolve({ position, facts: [], replayed: false }))
}

describe('the read model', () => {
  test('shows how far it is', async () => {
    const shown = await samples()
    const expected = {
      position: 5,
      lag_positions: 0,
      lag_seconds: 0,
      log_time_seconds: 1_700_000_000.5,
      building: 0,
      stalled: 0,
      builds_total: 1,
    }
    for (const [name, value] of Object.entries(expected)) {
      expect([name, shown.get(`dossier_read_model_${name}`)]).toEqual([name, value])
    }
  })

  test('shows what segments are to tell, and for how long', async () => {
    const counted = { unpublishedChanges: 7, diverged: 2 }
    jest.spyOn(Date, 'now').mockReturnValue(60_000)
    for (const [since, seconds] of [
      [{ unpublishedSince: 57_500 }, 2.5],
      [{}, 0],
      [{ unpublishedSince: 61_000 }, 0],
    ] as const) {
      const segments = {
        nextDue: undefined,
        hasUnpublished: true,
        figures: { ...counted, ...since },
      }
      status = { ...status, segments }
      const shown = await samples()
      const names = ['unpublished', 'unpublished_seconds', 'diverged']
      const values = names.map((name) => shown.get(`dossier_segments_${name}`))
      expect(values).toEqual([7, seconds, 2])
    }
  })

  test('shows the event names of its dictionary, unless it is built', async () => {
    const namesOf = async () => {
      const shown = await samples()
      return ['names', 'full'].map((name) => shown.get(`dossier_dictionary_${name}`))
    }
    expect(await namesOf()).toEqual([undefined, undefined])
    status = { ...status, dictionary: { names: 7, isFull: true } }
    expect(await namesOf()).toEqual([7, 1])
  })

  test('shows that it is built, and that it cannot go on', async () => {
    status = { ...status, isBuilding: true, trouble: 'the store is away', builds: 2 }
    const shown = await samples()
    expect(shown.get('dossier_read_model_building')).toBe(1)
    expect(shown.get('dossier_read_model_stalled')).toBe(1)
    expect(shown.get('dossier_read_model_builds_total')).toBe(2)
  })

  test('is behind what this process was acknowledged, and what the log has', async () => {
    await acknowledge('9')
    // Another append, acknowledged later, and a repeat of an old one.
    await acknowledge('8')
    await acknowledge('2')
    expect((await samples()).get('dossier_read_model_lag_positions')).toBe(4)
    now += 3_000
    status = { ...status, newest: 12 }
    const shown = await samples()
    expect(shown.get('dossier_read_model_lag_positions')).toBe(7)
    expect(shown.get('dossier_read_model_lag_seconds')).toBe(3)
    status = { ...status, reached: 12 }
    expect((await samples()).get('dossier_read_model_lag_seconds')).toBe(0)
  })

  test('forgets what it was acknowledged when the store has another past', async () => {
    await acknowledge('900')
    status = { ...status, builds: 2, applied: { position: 0, id: '' }, reached: 0, newest: 6 }
    expect((await samples()).get('dossier_read_model_lag_positions')).toBe(6)
  })

  test('counts how long its answers and its refusals take, by question', async () => {
    answer = () => {
      now += 300
      return Promise.resolve({ value: undefined, position: 5 })
    }
    await counted.query('profileAt', { externalId: 'ada' }, { waitMs: 1 })
    answer = () => {
      now += 20
      return Promise.reject(new RefusalAt('read_model_behind', 5))
    }
    const refused = counted.query('profile', { externalId: 'ada' }, { waitMs: 1 })
    await expect(refused).rejects.toMatchObject({ code: 'read_model_behind' })
    const shown = await samples()
    const of = (part: string, query: string, le = '') =>
      shown.get(`dossier_read_duration_seconds_${part}{${le}query="${query}"}`)
    expect([of('sum', 'profile_at'), of('count', 'profile_at')]).toEqual([0.3, 1])
    expect(of('bucket', 'profile_at', 'le="0.25",')).toBe(0)
    expect(of('bucket', 'profile_at', 'le="0.5",')).toBe(1)
    expect([of('sum', 'profile'), of('count', 'profile')]).toEqual([0.02, 1])
    expect(of('count', 'timeline')).toBeUndefined()
  })
})

test('a process that answers no reads shows no read model', async () => {
  const bare = new Metrics({ version: '1.2.3', faultCodes: [], maxInFlight: 9 })
  expect(await bare.text()).not.toMatch(/dossier_read/)
})

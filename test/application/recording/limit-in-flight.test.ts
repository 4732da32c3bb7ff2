import { expect, test } from '@jest/globals'
import { limitInFlight } from '../../../src/application/recording/limit-in-flight.js'
import type { Append } from '../../../src/application/recording/ports/event-store.js'
import { Refusal } from '../../../src/application/ports/refusal.js'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { GatedStore } from '../../support/gated-store.js'
import { noExactAppends } from '../../support/no-exact-appends.js'

const to = (stream: string): Append => ({
  stream,
  expected: 'new',
  facts: [{ id: 'x', type: 'X', data: '{}', metadata: '{}' }],
})

test('the permitted number of appends runs at once, and one more is refused', async () => {
  const store = new MemoryEventStore()
  const gate = new GatedStore(store)
  const limited = limitInFlight(gate, { appends: 2, bytes: 1_000 })
  const taken = [limited.append(to('a')), limited.append(to('b'))]
  await expect(limited.append(to('c'))).rejects.toMatchObject({ code: 'overloaded' })
  gate.letThrough()
  expect((await Promise.all(taken)).map(({ position }) => position)).toEqual(['1', '2'])
  expect(store.read('c')).toEqual([])
})

test('appends of both kinds count together', async () => {
  const gate = new GatedStore(new MemoryEventStore())
  const limited = limitInFlight(gate, { appends: 2, bytes: 1_000 })
  const at = { stream: 'segments', revision: -1, facts: to('a').facts }
  const taken = [limited.append(to('a')), limited.appendAt(at)]
  await expect(limited.appendAt({ ...at, revision: 0 })).rejects.toMatchObject({
    code: 'overloaded',
  })
  await expect(limited.append(to('b'))).rejects.toMatchObject({ code: 'overloaded' })
  gate.letThrough()
  await Promise.all(taken)
  expect(await limited.appendAt({ ...at, revision: 0 })).toEqual({ position: '3', revision: 1 })
})

test('a finished append frees its place, whether it was stored or not', async () => {
  const outage = new Refusal('store_unavailable', 'away')
  const failing = limitInFlight(
    { ...noExactAppends, append: () => Promise.reject(outage) },
    { appends: 1, bytes: 1_000 },
  )
  await expect(failing.append(to('a'))).rejects.toBe(outage)
  await expect(failing.append(to('a'))).rejects.toBe(outage)
  const storing = limitInFlight(new MemoryEventStore(), { appends: 1, bytes: 1_000 })
  await storing.append(to('a'))
  expect(await storing.append(to('b'))).toMatchObject({ position: '2', replayed: false })
})

test('a refusal makes the store catch up, and the next append gets the freed place', async () => {
  const gate = new GatedStore(new MemoryEventStore())
  const catchUp = () => {
    gate.letThrough()
  }
  const limited = limitInFlight(
    { ...noExactAppends, append: (append) => gate.append(append), catchUp },
    { appends: 1, bytes: 1_000 },
  )
  const first = limited.append(to('a'))
  await expect(limited.append(to('b'))).rejects.toMatchObject({ code: 'overloaded' })
  expect(await first).toMatchObject({ position: '1' })
  expect(await limited.append(to('b'))).toMatchObject({ position: '2' })
})

test('an append that would exceed the limit of bytes is refused, however few appends run', async () => {
  const gate = new GatedStore(new MemoryEventStore())
  const limited = limitInFlight(gate, { appends: 10, bytes: 100 })
  const large = (stream: string): Append => ({
    stream,
    expected: 'new',
    facts: [{ id: 'x', type: 'X', data: JSON.stringify('x'.repeat(200)), metadata: '{}' }],
  })
  const first = limited.append(large('a'))
  await expect(limited.append(to('b'))).rejects.toMatchObject({ code: 'overloaded' })
  gate.letThrough()
  await first
  expect(await limited.append(to('b'))).toMatchObject({ position: '2' })
})

test('appends that wait in the store count even if their callers have a response', async () => {
  const store = new MemoryEventStore()
  let queued = { appends: 2, bytes: 4 }
  const limited = limitInFlight(
    {
      ...noExactAppends,
      append: (append) => store.append(append),
      get queued() {
        return queued
      },
    },
    { appends: 2, bytes: 10 },
  )
  await expect(limited.append(to('a'))).rejects.toMatchObject({ code: 'overloaded' })
  queued = { appends: 1, bytes: 8 }
  await expect(limited.append(to('a'))).rejects.toMatchObject({ code: 'overloaded' })
  queued = { appends: 1, bytes: 4 }
  expect(await limited.append(to('a'))).toMatchObject({ position: '1' })
})

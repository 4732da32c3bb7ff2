import { expect, it } from '@jest/globals'
import { MemoryEventStore } from '../../src/adapters/memory/memory-event-store.js'
import { ExactStream } from '../../src/application/exact-stream.js'
import type { ExactAppends, StreamReader } from '../../src/application/ports/exact-appends.js'
import type { TimePassed } from '../../src/domain/segments/segment-facts.js'

class Instants {
  readonly all: string[] = []

  add({ data }: TimePassed): void {
    this.all.push(data.now)
  }
}

const streamOf = (store: ExactAppends & StreamReader) =>
  new ExactStream<Instants, TimePassed>(store, {
    stream: 'dossier-clock',
    types: ['TimePassed'],
    empty: () => new Instants(),
  })

const instant = (n: number) => `2026-11-20T09:30:00.00${String(n)}Z`
const passed = (n: number) => () => {
  const id = `00000000-0000-4000-8000-00000000000${String(n)}`
  return { fact: { id, type: 'TimePassed' as const, data: { now: instant(n) } } }
}

/** Returns a stream that is being read during its first append. The page arrives when the test says so. */
function readWhileAppending(append: (memory: MemoryEventStore) => ExactAppends['appendAt']) {
  const memory = new MemoryEventStore()
  const held: (() => void)[] = []
  let reads: Promise<Instants> | undefined
  const stream = streamOf({
    readStream: async (name, from) => {
      const page = await memory.readStream(name, from)
      if (page.length > 0) await new Promise<void>((resolve) => held.push(resolve))
      return page
    },
    appendAt: async (request) => {
      const appending = append(memory)(request)
      if (reads === undefined) {
        await appending.catch(() => undefined)
        reads = stream.read()
        while (held.length === 0) await Promise.resolve()
      }
      return appending
    },
  })
  const release = () => {
    for (const resolve of held.splice(0)) resolve()
  }
  return { stream, release, held, read: () => reads }
}

it('the state includes a fact once when both the own append and a read return it', async () => {
  const { stream, release, read } = readWhileAppending((memory) => memory.appendAt.bind(memory))
  const { state } = await stream.append('r', passed(1))
  release()
  expect(await read()).toBe(state)
  expect(state.all).toEqual([instant(1)])
})

it('the state includes a fact of another process once when two reads return it', async () => {
  let isFirst = true
  const { stream, release, held, read } = readWhileAppending((memory) => async (request) => {
    if (isFirst) {
      isFirst = false
      await streamOf(memory).append('r', passed(1))
    }
    return memory.appendAt(request)
  })
  const appended = stream.append('r', passed(2))
  while (held.length < 2) await Promise.resolve()
  release()
  await read()
  expect((await appended).state.all).toEqual([instant(1), instant(2)])
})

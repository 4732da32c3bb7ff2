import { expect, it, jest } from '@jest/globals'
import { PendingRequests } from '../../../src/adapters/sqlite/pending-requests.js'
import { Cancellation } from '../../../src/application/ports/cancellation.js'

/** Creates requests to a thread that responds when the test tells it to. */
function requests() {
  const sent: number[] = []
  const cancelled: number[] = []
  const pending = new PendingRequests<string>((id) => cancelled.push(id))
  const add = (wait: { cancellation?: Cancellation; graceMs?: number } = {}) =>
    pending.add(
      { timeoutMs: 60_000, noResponse: (reason) => new Error(`no response: ${reason}`), ...wait },
      (id) => {
        sent.push(id)
      },
      (response) => {
        if (response === 'refused') throw new Error('the thread refused')
        return response.toUpperCase()
      },
    )
  const giveUp = async () => {
    const cancellation = new Cancellation()
    const reason = add({ cancellation }).catch(String)
    cancellation.cancel()
    if (!(await reason).startsWith('Error: no response')) throw new Error(await reason)
  }
  return { sent, cancelled, pending, add, giveUp }
}

it('each request resolves with the response of its id, in any order', async () => {
  const { sent, pending, add } = requests()
  const both = [add(), add()]
  const [first = -1, second = -1] = sent
  pending.respond(second, 'b')
  pending.respond(first, 'a')
  expect(await Promise.all(both)).toEqual(['A', 'B'])
})

it('a request rejects when its response is an error', async () => {
  const { sent, pending, add } = requests()
  const request = add()
  pending.respond(sent[0] ?? -1, 'refused')
  await expect(request).rejects.toThrow('the thread refused')
})

it('a hanging thread gets a limited number of requests, and further requests are refused at once', async () => {
  const { sent, pending, add, giveUp } = requests()
  for (let reads = 0; reads < 3_000; reads += 1) await giveUp()
  expect(sent).toHaveLength(1_024)
  for (const id of sent.splice(0)) pending.respond(id, 'late')
  for (let reads = 0; reads < 3_000; reads += 1) {
    const request = add()
    pending.respond(sent.at(-1) ?? -1, 'a')
    if ((await request) !== 'A') throw new Error('a late response answered another request')
  }
  expect(Math.max(...sent)).toBeLessThan(1_024)
})

it('a response to an abandoned request is not used for another request', async () => {
  const { sent, pending, add, giveUp } = requests()
  await giveUp()
  const request = add()
  const [first = -1, second = -1] = sent
  expect(second).not.toBe(first)
  pending.respond(first, 'late')
  pending.respond(second, 'a')
  expect(await request).toBe('A')
})

it('the end of a thread settles every request, and the next thread starts with none', async () => {
  const { sent, pending, add, giveUp } = requests()
  const waiting = add()
  for (let reads = 0; reads < 1_024; reads += 1) await giveUp()
  await expect(add()).rejects.toThrow(
    'no response: the thread has not responded to too many requests',
  )
  pending.endAll('the thread ended')
  await expect(waiting).rejects.toThrow('no response: the thread ended')
  const request = add()
  pending.respond(sent.at(-1) ?? -1, 'a')
  expect(await request).toBe('A')
})

it('a request is abandoned at its deadline, and with a grace time its thread may still respond', async () => {
  jest.useFakeTimers()
  try {
    const { sent, cancelled, pending, add } = requests()
    const late = add()
    const refused = expect(late).rejects.toThrow('no response: the disk did not respond in time')
    const [stopped, silent] = [add({ graceMs: 500 }), add({ graceMs: 500 })]
    const silentRefused = expect(silent).rejects.toThrow('no response')
    jest.advanceTimersByTime(60_100)
    await refused
    expect(cancelled).toEqual(sent)
    pending.respond(sent[1] ?? -1, 'stopped')
    expect(await stopped).toBe('STOPPED')
    jest.advanceTimersByTime(500)
    await silentRefused
  } finally {
    jest.useRealTimers()
  }
})

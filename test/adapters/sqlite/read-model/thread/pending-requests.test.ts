import { expect, it } from '@jest/globals'
import { PendingRequests } from '../../../../../src/adapters/sqlite/read-model/thread/pending-requests.js'
import { Cancellation } from '../../../../../src/application/ports/cancellation.js'

const behind = expect.objectContaining({ code: 'read_model_behind' })

/** Requests to a thread that responds when the test says so. */
function requests() {
  const sent: number[] = []
  const pending = new PendingRequests({ position: () => 7, onCancelled: () => undefined })
  const add = (cancellation = new Cancellation()) =>
    pending.add('factAt', { waitMs: 0, answerMs: 60_000, cancellation }, (id) => {
      sent.push(id)
    })
  const giveUp = async () => {
    const cancellation = new Cancellation()
    const read = add(cancellation)
    cancellation.cancel()
    await expect(read).rejects.toEqual(behind)
  }
  return { sent, pending, add, giveUp }
}

it('a thread that hangs is sent a bounded number of requests, and all others are refused at once', async () => {
  const { sent, pending, add, giveUp } = requests()
  for (let reads = 0; reads < 3_000; reads += 1) await giveUp()
  expect(sent).toHaveLength(1_024)
  for (const id of sent.splice(0)) pending.respond([id, 7, 0, undefined])
  for (let reads = 0; reads < 3_000; reads += 1) {
    const read = add()
    pending.respond([sent.at(-1) ?? -1, 8, 0, undefined])
    expect((await read).position).toBe(8)
  }
  expect(Math.max(...sent)).toBeLessThan(1_024)
})

it('a response to a request that was given up is no response to another request', async () => {
  const { sent, pending, add, giveUp } = requests()
  await giveUp()
  const read = add()
  const [first = -1, second = -1] = sent
  expect(second).not.toBe(first)
  pending.respond([first, 7, 0, undefined])
  pending.respond([second, 9, 0, undefined])
  expect((await read).position).toBe(9)
})

it('a thread that is started anew owes no response', async () => {
  const { sent, pending, add, giveUp } = requests()
  for (let reads = 0; reads < 1_024; reads += 1) await giveUp()
  await expect(add()).rejects.toEqual(behind)
  pending.refuseAll()
  const read = add()
  pending.respond([sent.at(-1) ?? -1, 3, 0, undefined])
  expect((await read).position).toBe(3)
})

import { afterEach, expect, it } from '@jest/globals'
import { Random } from '../../fault-injection/random.js'
import { KilledService } from '../support/client/killed-service.js'
import { UnreliableProxy } from '../support/client/unreliable-proxy.js'
import { runWorkload } from '../support/client/workload.js'
import { quickOrThorough } from '../support/thoroughness.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const size = quickOrThorough({
  quick: { writers: 4, writes: 20, batchItems: 1_500, kills: 1, everyRequests: 90 },
  thorough: { writers: 8, writes: 120, batchItems: 10_000, kills: 5, everyRequests: 400 },
})

let proxy: UnreliableProxy | undefined
afterEach(() => proxy?.close())

it('the client loses nothing, duplicates nothing and never reads stale data, through cuts, repeats and kill -9', async () => {
  proxy = await UnreliableProxy.start({ random: new Random(20_261_124) })
  const service = await KilledService.start(folder(), proxy, size)
  const { writers, writes, batchItems } = size
  const { url } = proxy
  const outcome = await runWorkload({ url, key: service.key, writers, writes, batchItems })
  await service.end()
  expect(outcome.faults).toEqual([])
  expect(outcome).toMatchObject({ writes: writers * writes, reads: writers * writes, batchItems })
  expect(service.kills).toBe(size.kills)
  expect(proxy.cuts).toBeGreaterThan(size.kills)
  expect(proxy.doubled).toBeGreaterThan(size.kills)
  expect(outcome.breaks).toBeGreaterThan(0)
})

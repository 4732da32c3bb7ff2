import { afterEach, expect } from '@jest/globals'
import { z } from 'zod'
import { Random } from '../../fault-injection/random.js'
import { hangMs, itInChromium, openInChromium } from '../support/client/chromium.js'
import { KilledService } from '../support/client/killed-service.js'
import { workloadPage } from '../support/client/page.js'
import { UnreliableProxy } from '../support/client/unreliable-proxy.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const outcomeForm = z.looseObject({
  writes: z.number().optional(),
  breaks: z.number().optional(),
  faults: z.array(z.string()),
})

let close: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const one of close) await one()
  close = []
})

itInChromium(
  'the client in Chromium loses nothing, duplicates nothing and never reads stale data, through cuts, repeats and kill -9',
  async () => {
    const load = { writers: 4, writes: 100, batchItems: 5_000 }
    let told: (text: string) => void = () => undefined
    const outcome = new Promise<string>((resolve) => (told = resolve))
    const proxy = await UnreliableProxy.start({ random: new Random(7), outcome: told })
    close.unshift(() => proxy.close())
    const kills = { kills: 4, everyRequests: 150 }
    const service = await KilledService.start(folder(), proxy, kills)
    proxy.serve(await workloadPage({ key: service.key, ...load }))
    close.unshift(await openInChromium(`${proxy.url}/page`))
    const { faults, breaks, writes } = outcomeForm.parse(JSON.parse(await outcome))
    await service.end()
    expect(faults).toEqual([])
    expect(writes).toBe(load.writers * load.writes)
    expect(service.kills).toBe(kills.kills)
    expect(proxy.cuts).toBeGreaterThan(kills.kills)
    expect(proxy.doubled).toBeGreaterThan(kills.kills)
    expect(breaks).toBeGreaterThan(0)
  },
  hangMs,
)

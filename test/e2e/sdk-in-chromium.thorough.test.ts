import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect } from '@jest/globals'
import { Random } from '../../fault-injection/random.js'
import { hangMs, itInChromium, openInChromium } from '../support/client/chromium.js'
import { KilledService } from '../support/client/killed-service.js'
import { UnreliableProxy } from '../support/client/unreliable-proxy.js'
import { differences, isAsSentBy } from '../support/sdks/expected-messages.js'
import { sdksFolder } from '../support/sdks/packages.js'
import { startPageServer } from '../support/sdks/page-server.js'
import { onceStored, storedMessages } from '../support/sdks/stored-messages.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()

let close: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const one of close) await one()
  close = []
})

itInChromium.each([
  ['standard', { messages: 1_500, kills: 3, everyRequests: 100 }],
  // This mode sends all waiting messages in one request. A large request is nearly always cut.
  ['batching', { messages: 300, kills: 1, everyRequests: 5 }],
])(
  'messages of @segment/analytics-next from a page in Chromium (%s) are stored once, in the right profile and at their time, through cuts, repeats and kill -9',
  async (strategy, { messages, kills, everyRequests }) => {
    expect(existsSync(join(sdksFolder, 'node_modules'))).toBe(true)
    const page = await startPageServer()
    close.push(page.close)
    const proxy = await UnreliableProxy.start({ random: new Random(11) })
    close.unshift(() => proxy.close())
    const env = { TRACK_ORIGINS: page.origin, PUBLIC_URL: proxy.url }
    const service = await KilledService.start(folder(), proxy, { kills, everyRequests, env })
    const { key } = service
    const query = { key, host: proxy.url, person: 'ada', messages: String(messages), strategy }
    const url = `${page.origin}/?${new URLSearchParams(query).toString()}`
    close.unshift(await openInChromium(url))
    const stored = await onceStored(messages, hangMs / 2, () => service.directly(storedMessages))
    await service.end()
    const sent = Array.from({ length: messages }, (_, number) => number)
    expect(differences(stored, sent, isAsSentBy('ada'))).toEqual([])
    expect(service.kills).toBe(kills)
    expect(proxy.cuts).toBeGreaterThan(0)
  },
  hangMs,
)

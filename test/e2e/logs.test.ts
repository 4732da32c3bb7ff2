import { afterEach, expect, it } from '@jest/globals'
import type { ServerRefusal } from '../support/eventstoredb/faults.js'
import { EventStoreDouble } from '../support/eventstoredb/event-store-double.js'
import { thoroughly, itThoroughly } from '../support/thoroughness.js'
import { RawConnection } from '../support/raw-connection.js'
import { StartedService } from '../support/started-service.js'
import { holdFlushes } from '../support/hold-flushes.js'
import { itWithStrace } from '../support/strace.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const loud = { LOG_LEVEL: 'trace', LOG_REQUESTS: 'true' }

let service: StartedService
let double: EventStoreDouble | undefined
afterEach(async () => {
  await service.end()
  double?.faults.clear()
  await double?.close()
  double = undefined
})

/** A text that is sent in every place that a client can fill. No log line may contain it. */
const marker = 'mArKeR'

function markedPost(path: string, id: string, headers: Readonly<Record<string, string>> = {}) {
  return service.post(
    `${path}?${marker}`,
    {
      ...(path === '/entities'
        ? { external_id: id }
        : { entity_external_id: id, name: `${marker} bought` }),
      properties: { [`${marker}-name`]: [`${marker}-value`, { a: marker }] },
    },
    { 'user-agent': marker, 'x-forwarded-for': marker, cookie: `a=${marker}`, ...headers },
  )
}

interface Line {
  readonly msg: string
  readonly requestId?: string
  readonly code?: string
  readonly refused?: number
}

function linesThatSay(message: string): readonly Line[] {
  const lines = service.lines.filter((line) => line.startsWith('{'))
  return lines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === message)
}

/** Checks that each server error has a log line, and that a line has the number of `overloaded` refusals. */
async function expectLogged(replies: readonly Response[]): Promise<void> {
  const wrong = replies.filter(({ status }) => status >= 500)
  const told = await Promise.all(
    wrong.map(async (reply) => {
      const { error } = (await reply.json()) as { error: { code: string; request_id: string } }
      return `${error.request_id} ${error.code}`
    }),
  )
  await service.end()
  const logged = linesThatSay('a request failed').map(
    ({ requestId, code }) => `${requestId ?? ''} ${code ?? ''}`,
  )
  const failed = told.filter((words) => !words.endsWith(' overloaded'))
  expect(logged.sort()).toEqual(failed.sort())
  const refused = linesThatSay('requests were refused').map((line) => line.refused ?? 0)
  expect(refused.reduce((sum, some) => sum + some, 0)).toBe(told.length - failed.length)
  expect(service.lines.length).toBeGreaterThan(replies.length)
  expect(service.lines.filter((line) => line.includes(marker))).toEqual([])
}

it('the log contains nothing that clients sent, whatever is wrong with it', async () => {
  service = await StartedService.start(folder(), loud)
  const key = service.key
  const connection = await RawConnection.open(service.port)
  connection.send(`GET /${marker} HTTP/1.1`, marker, '', '')
  await connection.reply()
  const headers = { 'idempotency-key': marker }
  const replies = [
    await markedPost('/entities', `${marker}-ada`, headers),
    await markedPost('/entities', `${marker}-ada`),
    await markedPost('/events', `${marker}-ada`, headers),
    await markedPost('/events', `${marker}-ada`, headers),
    await markedPost('/events', `${marker}-bob`),
    await markedPost('/events', `\0${marker}`),
    await markedPost('/events', `${marker}-ada`, { authorization: `Bearer ${marker}` }),
    await markedPost('/events', `${marker}-ada`, { 'content-type': `text/${marker}` }),
    await markedPost('/events', `${marker}-ada`, { 'idempotency-key': `${marker} ${marker}` }),
    await fetch(`${service.origin}/${marker}/%zz`),
    await fetch(`${service.origin}/${marker}`, { method: 'PUT' }),
    await fetch(`${service.origin}/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: `{"${marker}": ${marker}`,
    }),
  ]
  expect(replies.map(({ status }) => status)).toEqual([
    201, 409, 201, 201, 404, 422, 401, 415, 400, 400, 404, 400,
  ])
  await expectLogged(replies)
  expect(service.lines.join('\n')).not.toContain(key.slice(20))
})

const refusals: readonly ServerRefusal[] = [
  'server-not-ready',
  'server-too-busy',
  'not-leader',
  'no-leader-info',
  'access-denied',
  'unauthenticated',
  'unknown-error',
  'commit-timeout',
  'request-canceled',
]

itThoroughly(
  'the log has one line per fault of EventStoreDB, and nothing that clients sent',
  async () => {
    double = await EventStoreDouble.start()
    service = await StartedService.start(folder(), {
      ...loud,
      STORE_URL: double.connectionString,
      STORE_TIMEOUT_MS: '1000',
    })
    await markedPost('/entities', `${marker}-ada`)
    const replies: Response[] = []
    for (const refusal of refusals) {
      double.faults.refuse(refusal, { times: Infinity })
      replies.push(await markedPost('/events', `${marker}-ada`))
      replies.push(
        await markedPost('/events', `${marker}-ada`, { 'idempotency-key': marker + refusal }),
      )
      double.faults.clear()
    }
    double.faults.drop('afterWrite')
    replies.push(await markedPost('/events', `${marker}-ada`))
    const gate = double.faults.hold('beforeWrite')
    replies.push(await markedPost('/events', `${marker}-ada`))
    gate.release()
    expect(replies.filter(({ status }) => status < 500)).toEqual([])
    await expectLogged(replies)
  },
  60_000,
)

thoroughly(itWithStrace)(
  'say what the disk did, and nothing of what clients sent',
  async () => {
    service = await StartedService.start(folder(), {
      ...loud,
      STORE_TIMEOUT_MS: '500',
      MAX_IN_FLIGHT: '2',
    })
    await markedPost('/entities', `${marker}-ada`)
    const hold = await holdFlushes(service.pid)
    const replies = await Promise.all(
      [1, 2, 3, 4].map(() => markedPost('/events', `${marker}-ada`)),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([503, 503, 504, 504])
    await hold.release()
    await expectLogged(replies)
  },
  60_000,
)

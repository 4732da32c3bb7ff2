import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Refusal, RefusalAt } from '../../../../src/application/ports/refusal.js'
import { nobodyWaits, type Cancellation } from '../../../../src/application/ports/cancellation.js'
import { listeningService, longTimeouts, readKey } from '../../../support/http-service.js'
import { allScopes } from '../../../support/operations/all-scopes.js'
import {
  describedOperations,
  type DescribedOperation,
} from '../../../support/operations/described-operations.js'
import { rightRequest, urlOfRequest } from '../../../support/operations/operation-requests.js'
import { RawConnection } from '../../../support/raw-connection.js'
import { rawPost } from '../../../support/raw-request.js'

/** Tests requests whose caller disconnects. They cause no fault, no refusal and no log line. */

let service: Awaited<ReturnType<typeof listeningService>>
let told: string[]
let answered: (status: string) => void
let asked: (cancellation: Cancellation | undefined) => void

const observer = {
  route: () => (status: number) => {
    answered(String(status))
  },
  fault: (code: string) => void told.push(code),
  feedReaders: () => undefined,
}

beforeAll(async () => {
  service = await listeningService({
    observer,
    keyRing: { holderOf: () => allScopes },
    options: { timeouts: longTimeouts },
  })
})
afterAll(() => service.server.close())
beforeEach(() => {
  told = []
  service.log.lines.length = 0
})

/** Returns the bytes of a request. `sends` is the number of bytes of its body to include. */
function bytesOf(operation: DescribedOperation, sends = Infinity): string {
  const right = rightRequest(operation)
  const body = right.body === undefined ? '' : JSON.stringify(right.body)
  const lines = [
    `${operation.method} ${urlOfRequest(operation, right)} HTTP/1.1`,
    'Host: dossier',
    `Authorization: Bearer ${readKey}`,
    ...(body === ''
      ? []
      : ['Content-Type: application/json', `Content-Length: ${String(body.length)}`]),
  ]
  return [...lines, '', body.slice(0, sends)].join('\r\n')
}

/** Sends the bytes, disconnects at `moment`, and returns the status in the metrics. */
async function leave(bytes: string, moment: Promise<unknown>): Promise<string> {
  const counted = new Promise<string>((resolve) => {
    answered = resolve
  })
  const connection = await RawConnection.open(service.port)
  connection.send(bytes)
  await moment
  connection.cut()
  return counted
}

async function refusedOnes(): Promise<unknown> {
  const headers = { authorization: `Bearer ${readKey}` }
  return (await service.server.inject({ url: '/refusals', headers })).json()
}

const named = (some: readonly DescribedOperation[]) =>
  some.map((operation) => [`${operation.method} ${operation.path}`, operation] as const)

const ofReadModel = describedOperations.filter(({ parameters }) =>
  parameters.some(({ name }) => name === 'Position'),
)

describe.each([
  ['overloaded', nobodyWaits],
  ['read_model_behind', () => new RefusalAt('read_model_behind', 0)],
  ['building', () => new Refusal('building')],
])('a read whose caller disconnects, and that ends with %s', (_code, refusal) => {
  test.each(named(ofReadModel))('%s', async (_name, operation) => {
    const moment = new Promise((resolve) => {
      asked = resolve
    })
    service.readModel.query = (_query, _parameters, { cancellation }) =>
      new Promise((_resolve, reject) => {
        cancellation?.listen(() => {
          reject(refusal())
        })
        asked(cancellation)
      })
    expect(await leave(bytesOf(operation), moment)).toBe('499')
    expect([told, service.log.lines]).toEqual([[], []])
  })
})

test('an internal error is logged and counted even if the caller has disconnected', async () => {
  const moment = new Promise((resolve) => {
    asked = resolve
  })
  service.readModel.query = (_query, _parameters, { cancellation }) =>
    new Promise((_resolve, reject) => {
      cancellation?.listen(() => {
        reject(new TypeError('planted'))
      })
      asked(cancellation)
    })
  const [read] = ofReadModel
  if (read === undefined) throw new Error('no operation reads')
  expect(await leave(bytesOf(read), moment)).toBe('500')
  expect(told).toEqual(['internal_error'])
  expect(service.log.lines).toMatchObject([{ level: 'error', message: 'a request failed' }])
})

describe('a request whose caller disconnects in the middle of its body', () => {
  test.each(named(describedOperations.filter(({ body }) => body?.isRequired === true)))(
    '%s',
    async (_name, operation) => {
      const before = await refusedOnes()
      const begun = new Promise((resolve) => {
        service.server.server.once('request', (request) => request.once('data', resolve))
      })
      expect(await leave(bytesOf(operation, 1), begun)).toBe('499')
      expect([told, service.log.lines]).toEqual([[], []])
      expect(await refusedOnes()).toEqual(before)
    },
  )

  test('POST /v1/batch', async () => {
    const begun = new Promise((resolve) => {
      service.server.server.once('request', (request) => request.once('data', resolve))
    })
    const sent = rawPost('/v1/batch', '{"batch":[]}').slice(0, -1)
    expect(await leave(sent, begun)).toBe('499')
    expect([told, service.log.lines]).toEqual([[], []])
  })
})

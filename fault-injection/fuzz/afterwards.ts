import type { StartedService } from '../../test/support/service-process.js'
import type { Account } from './account.js'
import { fuzzKeys } from './fuzz-keys.js'
import { expect, readReply, type StoredData } from './reply-form.js'
import { RawClient } from './raw-client.js'

/** Checks after a run that the service still runs and still stores requests. Throws if not. */
export async function afterwards(service: StartedService, account: Account): Promise<void> {
  expect(service.runs, 'the process is dead')
  for (const path of ['/health/live', '/health/ready']) {
    expect((await ask(service, `GET ${path}`, '')).status === 200, `${path} after the fuzz`)
  }
  const id = 'after-the-fuzz'
  const entity = await stored(service, account, '/entities', { external_id: id })
  expect('created_at' in entity && entity.external_id === id, 'a creation after the fuzz')
  const event = await stored(service, account, '/events', { entity_external_id: id, name: 'end' })
  expect('timestamp' in event && event.name === 'end', 'an event after the fuzz')
}

async function stored(
  service: StartedService,
  account: Account,
  path: string,
  body: object,
): Promise<StoredData> {
  const { stored: data, headers, status } = await ask(service, `POST ${path}`, JSON.stringify(body))
  expect(data !== undefined, `${String(status)} for ${path} after the fuzz`)
  account.acknowledge({ data, position: headers['position'] ?? '' })
  return data
}

async function ask(service: StartedService, what: string, body: string) {
  const client = await RawClient.open(service.port)
  const lines = [
    `${what} HTTP/1.1`,
    'Host: dossier',
    `Authorization: Bearer ${fuzzKeys.write}`,
    'Content-Type: application/json',
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    '',
    body,
  ]
  await client.send([Buffer.from(lines.join('\r\n'))])
  const reply = await client.reply(false)
  expect(reply !== undefined, `no answer to ${what} after the fuzz`)
  client.end()
  return readReply(reply, false)
}

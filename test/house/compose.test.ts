import { readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { parse } from 'yaml'
import { z } from 'zod'
import { readSettings, type Settings } from '../../src/composition/settings.js'

const service = z.object({
  environment: z.record(z.string(), z.string()),
  ports: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
})

const compose = z
  .object({ services: z.object({ dossier: service, eventstoredb: service }) })
  .parse(parse(readFileSync('docker-compose.yml', 'utf8')))
const { dossier, eventstoredb } = compose.services

/** As Compose does: `${API_KEY:?…}` becomes what whoever starts it has set. */
const given = Object.fromEntries(
  Object.entries(dossier.environment).map(([name, value]) => [
    name,
    value.replace(/^\$\{([A-Z_]+):\?[^}]*\}$/, (_, own: string) => `set-by-caller-${own}`),
  ]),
)

describe('docker-compose.yml', () => {
  it('gives the service settings that it accepts', () => {
    expect(readSettings(given)).toMatchObject({
      host: '0.0.0.0',
      storeUrl: 'esdb://eventstoredb:2113?tls=false',
      apiKey: 'set-by-caller-API_KEY',
    } satisfies Partial<Settings>)
  })

  it.each(Object.keys(dossier.environment))('gives the service %s, which it knows', (name) => {
    // A variable that is not ours is ignored; one that is ours is refused when it is empty.
    expect(() => readSettings({ [name]: '' })).toThrow(new RegExp(`^${name} must `))
  })

  it('does not start without an API key', () => {
    expect(dossier.environment['API_KEY']).toMatch(/^\$\{API_KEY:\?.+\}$/)
  })

  it('opens ports on the loopback address only, and none of the insecure store', () => {
    for (const port of dossier.ports) expect(port).toMatch(/^127\.0\.0\.1:/)
    expect(eventstoredb.ports).toEqual([])
  })

  it('starts the service when the store that it names is healthy', () => {
    expect(dossier.depends_on).toEqual({ eventstoredb: { condition: 'service_healthy' } })
    expect(eventstoredb.healthcheck?.test).toContain('http://127.0.0.1:2113/health/live')
  })
})

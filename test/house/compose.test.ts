import { readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { parse } from 'yaml'
import { z } from 'zod'
import { readSettings, type Settings } from '../../src/composition/settings.js'

const service = z.object({
  environment: z.record(z.string(), z.string().nullable()),
  init: z.boolean().optional(),
  platform: z.string().optional(),
  ports: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
})

const text = readFileSync('docker-compose.yml', 'utf8')
const compose = z
  .object({ services: z.object({ dossier: service, eventstoredb: service }) })
  .parse(parse(text))
const { dossier, eventstoredb } = compose.services

/** As Compose does: a variable without a value is the caller's own, or is not set at all. */
function given(own: Readonly<Record<string, string>>) {
  const { environment } = dossier
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value ?? own[name]]),
  )
}

describe('docker-compose.yml', () => {
  it('gives the service settings that it accepts, with a key of the caller or without', () => {
    const settings = {
      host: '0.0.0.0',
      storeUrl: 'esdb://eventstoredb:2113?tls=false',
      apiKey: undefined,
    } satisfies Partial<Settings>
    expect(readSettings(given({}))).toMatchObject(settings)
    const apiKey = 'a-key-of-our-own-choosing'
    expect(readSettings(given({ API_KEY: apiKey }))).toMatchObject({ ...settings, apiKey })
  })

  it('asks for no variable: every other command of Compose would ask for it as well', () => {
    expect(text).not.toContain('${')
  })

  it.each(Object.keys(dossier.environment))('gives the service %s, which it knows', (name) => {
    // A variable that is not ours is ignored; one that is ours is refused when it is empty.
    expect(() => readSettings({ [name]: '' })).toThrow(new RegExp(`^${name} must `))
  })

  it('has an init answer signals until Node does', () => {
    expect(dossier.init).toBe(true)
  })

  it('names the one platform that there is of the store', () => {
    expect(eventstoredb.platform).toBe('linux/amd64')
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

describe('Dockerfile', () => {
  const [build = '', image = ''] = readFileSync('Dockerfile', 'utf8')
    .split(/^FROM .*$/m)
    .slice(1)

  it('installs what the lock file says', () => {
    expect(build).toMatch(/^RUN npm ci$/m)
  })

  it('names its user by number, as runAsNonRoot wants it', () => {
    expect(image).toMatch(/^USER [1-9][0-9]*$/m)
  })

  it('takes from the checkout nothing whose mode is not said', () => {
    const copies = image.match(/^COPY .*$/gm) ?? []
    const made = / \/app\/(node_modules|dist) /
    expect(copies.filter((copy) => !made.test(copy))).toEqual([
      'COPY --from=build /app/package.json ./',
    ])
    expect(build).toMatch(/^RUN .* && chmod 644 package.json$/m)
  })

  it('is built by every builder: what BuildKit alone knows is not in it', () => {
    expect(build + image).not.toMatch(/^(COPY|ADD|RUN) .*--(chmod|link|parents|mount|exclude)/m)
    expect(build + image).not.toContain('<<')
  })

  it('is healthy while the process works, whatever its store does', () => {
    expect(image).toContain('/health/live')
    expect(image).not.toContain('/health/ready')
  })

  it('gives the service settings that it accepts', () => {
    const [, variables = ''] = /^ENV (.*)$/m.exec(image) ?? []
    const env = Object.fromEntries(new URLSearchParams(variables.replaceAll(' ', '&')))
    expect(readSettings(env)).toMatchObject({ host: '0.0.0.0', inContainer: true })
  })
})

import { existsSync, readFileSync } from 'node:fs'
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
  profiles: z.array(z.string()).default([]),
  volumes: z.array(z.string()),
})

const text = readFileSync('docker-compose.yml', 'utf8')
const compose = z
  .object({
    services: z.object({
      dossier: service,
      kurrentdb: service,
      mirror: service.extend({ build: z.object({ context: z.string(), dockerfile: z.string() }) }),
      postgres: service,
    }),
    volumes: z.record(z.string(), z.null()),
  })
  .parse(parse(text))
const { dossier, kurrentdb, mirror, postgres } = compose.services

/**
 * Returns the environment as Compose computes it: a variable without a value is passed through if the caller has
 * set it.
 */
function given(own: Readonly<Record<string, string>>) {
  const { environment } = dossier
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value ?? own[name]]),
  )
}

describe('docker-compose.yml', () => {
  it('gives the service valid settings, with or without a key of the caller', () => {
    const settings = {
      host: '0.0.0.0',
      storeUrl: 'kurrentdb://kurrentdb:2113?tls=false',
      apiKey: undefined,
    } satisfies Partial<Settings>
    expect(readSettings(given({}))).toMatchObject(settings)
    const apiKey = 'a-key-of-our-own-choosing'
    expect(readSettings(given({ API_KEY: apiKey }))).toMatchObject({ ...settings, apiKey })
  })

  it('requires no variable, because every other command of Compose would require it too', () => {
    expect(text).not.toContain('${')
  })

  it.each(Object.keys(dossier.environment))('gives the service the known setting %s', (name) => {
    // Unknown variables are ignored, so the refusal of an empty value shows that the variable is known.
    expect(() => readSettings({ [name]: '' })).toThrow(new RegExp(`^${name} must `))
  })

  it('uses an init process to handle signals until Node does', () => {
    expect(dossier.init).toBe(true)
  })

  it('names the only production platform of the image of the store', () => {
    expect(kurrentdb.platform).toBe('linux/amd64')
  })

  it('keeps the files and the log of the store in the volumes of its image', () => {
    expect(kurrentdb.volumes.map((volume) => volume.split(':')[1])).toEqual([
      '/var/lib/kurrentdb',
      '/var/log/kurrentdb',
    ])
  })

  it('opens ports only on the loopback address, and no port of the insecure store', () => {
    for (const port of dossier.ports) expect(port).toMatch(/^127\.0\.0\.1:/)
    expect(kurrentdb.ports).toEqual([])
  })

  it('starts the service when its store is healthy', () => {
    expect(dossier.depends_on).toEqual({ kurrentdb: { condition: 'service_healthy' } })
    expect(kurrentdb.healthcheck?.test).toContain('http://127.0.0.1:2113/health/live')
  })
})

describe('the profile mirror of docker-compose.yml', () => {
  it('starts the mirror and its database only when the profile is selected', () => {
    expect([dossier, kurrentdb].map(({ profiles }) => profiles)).toEqual([[], []])
    expect([mirror, postgres].map(({ profiles }) => profiles)).toEqual([['mirror'], ['mirror']])
  })

  it('has the mirror wait for both, reach them by their names, and read the first key', () => {
    const isHealthy = { condition: 'service_healthy' }
    expect(mirror.depends_on).toEqual({ dossier: isHealthy, postgres: isHealthy })
    expect(mirror.environment).toMatchObject({
      DOSSIER_URL: 'http://dossier:3000',
      DOSSIER_KEY_FILE: '/data/first-key',
      DATABASE_URL: 'postgresql://postgres@postgres/postgres',
    })
    expect(mirror.volumes).toEqual(['data:/data:ro'])
    expect(dossier.volumes).toEqual(['data:/app/data'])
  })

  it('opens no port of the database, which requires no password', () => {
    expect(postgres.ports).toEqual([])
  })

  it('keeps its tables in a volume', () => {
    const named = [dossier, kurrentdb, mirror, postgres].flatMap(({ volumes }) =>
      volumes.map((volume) => volume.split(':')[0]),
    )
    expect(new Set(named)).toEqual(new Set(Object.keys(compose.volumes)))
  })

  it('builds the image from files that reach the builder', () => {
    const { context, dockerfile } = mirror.build
    const sent = readFileSync('.dockerignore', 'utf8').split('\n')
    const copied = [
      ...readFileSync(`${context}/${dockerfile}`, 'utf8').matchAll(/^COPY ([^-].*) \S+$/gm),
    ]
    const paths = copied.flatMap(([, words = '']) => words.split(' '))
    expect(paths).toContain('examples/postgres-mirror')
    for (const path of paths) {
      expect(existsSync(path)).toBe(true)
      expect(sent).toContain(path.startsWith('src/') ? '!src' : `!${path}`)
    }
  })
})

describe('Dockerfile', () => {
  const [build = '', image = ''] = readFileSync('Dockerfile', 'utf8')
    .split(/^FROM .*$/m)
    .slice(1)

  it('installs the versions of the lock file', () => {
    expect(build).toMatch(/^RUN npm ci$/m)
  })

  it('names its user by number, as runAsNonRoot wants it', () => {
    expect(image).toMatch(/^USER [1-9][0-9]*$/m)
  })

  it('copies no file from the checkout without an explicit mode', () => {
    const copies = image.match(/^COPY .*$/gm) ?? []
    const made = / \/app\/(node_modules|dist) /
    expect(copies.filter((copy) => !made.test(copy))).toEqual([
      'COPY --from=build /app/package.json ./',
    ])
    expect(build).toMatch(/^RUN .* && chmod 644 package.json$/m)
  })

  it('can be built by every builder, because it uses no feature of BuildKit', () => {
    expect(build + image).not.toMatch(/^(COPY|ADD|RUN) .*--(chmod|link|parents|mount|exclude)/m)
    expect(build + image).not.toContain('<<')
  })

  it('is healthy while the process works, whatever the state of its store', () => {
    expect(image).toContain('/health/live')
    expect(image).not.toContain('/health/ready')
  })

  it('gives the service settings that it accepts', () => {
    const [, variables = ''] = /^ENV (.*)$/m.exec(image) ?? []
    const env = Object.fromEntries(new URLSearchParams(variables.replaceAll(' ', '&')))
    expect(readSettings(env)).toMatchObject({ host: '0.0.0.0', dossierImage: true })
  })
})

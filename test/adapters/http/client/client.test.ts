import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fastify, type FastifyInstance } from 'fastify'
import { parseTar } from 'nanotar'
import { z } from 'zod'
import { addClient } from '../../../../src/adapters/http/client/client.js'
import { readClient } from '../../../../src/adapters/http/client/client-files.js'

let server: FastifyInstance
beforeAll(() => {
  server = fastify()
  addClient(server, readClient(resolve('dist/client-package')))
})
afterAll(() => server.close())

const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers })
const packed = async () => parseTar(gunzipSync((await get('/client.tgz')).rawPayload))

describe('the client over HTTP', () => {
  it.each([
    ['/client.tgz', 'application/gzip'],
    ['/client.js', 'text/javascript; charset=utf-8'],
  ])('%s is sent once, and then only when it changed', async (url, type) => {
    const first = await get(url)
    expect(first.statusCode).toBe(200)
    expect(first.headers).toMatchObject({
      'content-type': type,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    })
    const etag = String(first.headers.etag)
    const strong = etag.replace('W/', '')
    for (const tags of [etag, strong, '*', ` * `, `"other", ${etag}`, `W/"a,b",${strong}`]) {
      const again = await get(url, { 'if-none-match': tags })
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag])
    }
    for (const tags of ['"other"', strong.slice(1, -1), `"${strong.slice(1, 5)}"`]) {
      expect((await get(url, { 'if-none-match': tags })).statusCode).toBe(200)
    }
  })

  it('is compressed for callers who take that', async () => {
    const plain = await get('/client.js', { 'accept-encoding': 'gzip;q=0' })
    const gzipped = await get('/client.js', { 'accept-encoding': 'br, gzip' })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(gzipped.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(gzipped.rawPayload).equals(plain.rawPayload)).toBe(true)
  })

  it('is a package with the version of the service and without dependencies', async () => {
    const files = new Map((await packed()).map(({ name, text }) => [name, text]))
    const manifest: unknown = JSON.parse(files.get('package/package.json') ?? '')
    const service = z
      .object({ version: z.string(), engines: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync('package.json', 'utf8')))
    expect(manifest).toEqual({
      name: 'dossier-client',
      version: service.version,
      description: expect.any(String),
      license: 'Apache-2.0',
      type: 'module',
      engines: service.engines,
      sideEffects: false,
      exports: { '.': { types: './dossier.d.ts', default: './dossier.js' } },
    })
    expect(files.get('package/dossier.js')).toBe((await get('/client.js')).body)
  })

  it('contains code, types and a README, and no sources', async () => {
    const names = (await packed()).map(({ name }) => name.replace('package/', ''))
    const types = names.filter((name) => name.endsWith('.d.ts'))
    const others = names.filter((name) => !name.endsWith('.d.ts'))
    expect(others).toEqual(['package.json', 'README.md', 'dossier.js'])
    expect(types).toEqual(expect.arrayContaining(['dossier.d.ts', 'api-types.d.ts']))
    expect(types).not.toContain('transport.d.ts')
  })

  it('depends neither on the time nor on the user of its build', async () => {
    const marks = (await packed()).map(({ attrs }) => [attrs?.mtime, attrs?.uid, attrs?.gid])
    expect(new Set(marks.map(String)).size).toBe(1)
    expect(marks[0]?.slice(1)).toEqual([0, 0])
    expect(gunzipSync((await get('/client.tgz')).rawPayload).length % 512).toBe(0)
  })

  it('is at most 32 KB packed, and its code 10 KB compressed', async () => {
    expect((await get('/client.tgz')).rawPayload.length).toBeLessThanOrEqual(32_768)
    expect(gzipSync((await get('/client.js')).rawPayload).length).toBeLessThanOrEqual(10_240)
  })
})

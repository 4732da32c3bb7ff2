import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { fastify, type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { addConsole } from '../../../../src/adapters/http/console/console.js'
import { readConsole } from '../../../../src/adapters/http/console/console-files.js'

/** The folder that `npm run build` writes. */
const folder = resolve('dist/console')
const limitBytes = 92_160

let server: FastifyInstance
beforeAll(() => {
  server = fastify()
  addConsole(server, readConsole(folder))
})
afterAll(() => server.close())

const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers })
const names = () =>
  readdirSync(folder).filter((name) => /^console-[0-9a-f]{12}\.(js|css|svg)$/.test(name))

describe('the console over HTTP', () => {
  it('the page is never cached, and its three files are cached forever', async () => {
    const page = await get('/console')
    expect(page.statusCode).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.headers['cache-control']).toBe('no-store')
    expect(names()).toHaveLength(3)
    for (const name of names()) {
      // The address is relative, so that the page also works under a path prefix.
      expect(page.body).toContain(`"console/${name}"`)
      const file = await get(`/console/${name}`)
      expect(file.statusCode).toBe(200)
      expect(file.headers['cache-control']).toContain('immutable')
      expect(file.headers['content-type']).toMatch(/^text\/(javascript|css);|^image\/svg/)
    }
  })

  it('the page may load scripts, styles and data only from the service', async () => {
    for (const url of ['/console', `/console/${names()[0] ?? ''}`]) {
      const { headers } = await get(url)
      const policy = String(headers['content-security-policy']).split('; ')
      expect(policy).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ])
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      })
    }
  })

  it('files are compressed for clients that accept it, with equal content for all others', async () => {
    for (const url of ['/console', ...names().map((name) => `/console/${name}`)]) {
      const plain = await get(url)
      const gzipped = await get(url, { 'accept-encoding': 'br, gzip' })
      expect(plain.headers['content-encoding']).toBeUndefined()
      expect(gzipped.headers['content-encoding']).toBe('gzip')
      expect(gunzipSync(gzipped.rawPayload).equals(plain.rawPayload)).toBe(true)
      const refused = await get(url, { 'accept-encoding': 'gzip;q=0' })
      expect(refused.headers['content-encoding']).toBeUndefined()
    }
  })

  it('a file that the browser has is not sent again', async () => {
    for (const name of names()) {
      const url = `/console/${name}`
      const etag = String((await get(url)).headers.etag)
      for (const tags of [etag, etag.replace('W/', ''), '*', `"other", ${etag}`]) {
        const again = await get(url, { 'if-none-match': tags })
        expect([again.statusCode, again.body]).toEqual([304, ''])
      }
      expect((await get(url, { 'if-none-match': '"other"' })).statusCode).toBe(200)
    }
  })

  it('a file name of another release returns the file of this release, uncached', async () => {
    const script = names().find((name) => name.endsWith('.js')) ?? ''
    const other = await get('/console/console-0123456789ab.js')
    expect(other.body).toBe((await get(`/console/${script}`)).body)
    expect(other.headers['cache-control']).toBe('no-store')
  })

  it('all other file names are not found', async () => {
    for (const name of [
      'console-0123456789ab.map',
      'index.html',
      '..%2fpackage.json',
      '__proto__',
    ]) {
      expect((await get(`/console/${name}`)).statusCode).toBe(404)
    }
  })

  it(`the compressed files have at most ${String(limitBytes)} bytes in total`, () => {
    const sizes = readdirSync(folder)
      .filter((name) => name.endsWith('.gz'))
      .map((name) => statSync(join(folder, name)).size)
    expect(sizes).toHaveLength(4)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(limitBytes)
  })
})

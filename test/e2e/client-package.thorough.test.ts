import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import { z } from 'zod'
import { runProgram } from '../support/run-program.js'
import { startReleasedProgram, StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const run = promisify(execFile)
const makeFolder = temporaryFolders()

startReleasedProgram()

const start = (env: Readonly<Record<string, string>> = {}) =>
  StartedService.start(makeFolder(), { READ_MODEL: 'memory:', ...env })

/** Installs the client in an empty folder. The registry does not exist, so that only the service is asked. */
async function install(origin: string): Promise<string> {
  const folder = makeFolder()
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const words = ['install', `${origin}/client.tgz`, '--no-audit', '--no-fund', '--loglevel=error']
  const nobody = ['--registry=http://127.0.0.1:9', `--cache=${join(folder, '.cache')}`]
  await run('npm', [...words, ...nobody], { cwd: folder })
  return folder
}

const readme = readFileSync('src/client/README.md', 'utf8')
const [, example = ''] = /```js\n([^`]*)```/.exec(readme) ?? []

const types = `
import { Dossier, DossierError, replyOf, type Fact, type Rule, type Why } from 'dossier-client'

const dossier = new Dossier({ url: 'http://127.0.0.1:3000', key: 'k' })
const rule: Rule = { all: [{ event: 'purchase', within: '90d' }, { not: { everyone: true } }] }
await dossier.segments.define('buyers', { title: 'Buyers', kind: 'rule', rule })
// @ts-expect-error: a segment by rule needs a rule
await dossier.segments.define('buyers', { title: 'Buyers', kind: 'rule' })
// @ts-expect-error: no such test
const wrong: Rule = { property: '/plan', is: { equals: 'paid' } }
const { why }: { readonly why: Why } = await dossier.segments.explain('buyers', 'ada')
if ('counted' in why) console.log(why.counted.toFixed(), why.evidence[0]?.occurred_at)
export function nameOf(fact: Fact): string | undefined {
  return fact.type === 'EventRecorded' ? fact.data.name : undefined
}
for await (const { item, error } of dossier.batch([{ op: 'create_entity', external_id: 'e' }]))
  if (error instanceof DossierError) console.log(item.op, error.code, error.details[0]?.path)
console.log(wrong, replyOf(await dossier.entities.get('ada')).position)
`

const typesOfCommonJs = `
import client = require('dossier-client')
export const dossier: client.Dossier = new client.Dossier({ url: 'http://127.0.0.1:3000', key: 'k' })
`

const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true }
const modes = {
  NodeNext: { module: 'NodeNext', moduleResolution: 'NodeNext' },
  bundler: { module: 'ESNext', moduleResolution: 'bundler' },
}

describe('the client that a service serves', () => {
  it('installs from the service alone, and runs as its README says', async () => {
    const service = await start()
    const folder = await install(service.origin)
    const script = example.replace('http://127.0.0.1:3000', service.origin)
    writeFileSync(join(folder, 'example.js'), script)
    const env = { ...process.env, DOSSIER_KEY: service.key }
    const { stdout } = await run(process.execPath, ['example.js'], { cwd: folder, env })
    expect(stdout).toBe('paid 1\n')
  }, 120_000)

  it('is loaded by CommonJS', async () => {
    const service = await start()
    const folder = await install(service.origin)
    const script = `
      const { Dossier, DossierError } = require('dossier-client')
      const dossier = new Dossier({ url: '${service.origin}', key: 'wrong' })
      dossier.entities.get('ada').catch((error) => {
        console.log(error instanceof DossierError, error.code)
      })`
    writeFileSync(join(folder, 'example.cjs'), script)
    const { stdout } = await run(process.execPath, ['example.cjs'], { cwd: folder })
    expect(stdout).toBe('true unauthenticated\n')
  }, 120_000)

  it.each(Object.entries(modes))(
    'has types for %s, strict',
    async (_mode, mode) => {
      const service = await start()
      const folder = await install(service.origin)
      const lib = ['ES2022', 'DOM']
      const compilerOptions = { ...strict, ...mode, target: 'ES2022', lib, types: [] }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
      writeFileSync(join(folder, 'example.ts'), types)
      if (mode.module === 'NodeNext') writeFileSync(join(folder, 'example.cts'), typesOfCommonJs)
      const compiler = resolve('node_modules/@typescript/native/bin/tsc')
      const { code, stdout } = await runProgram(compiler, ['-p', '.'], { cwd: folder })
      expect([code, stdout]).toEqual([0, ''])
    },
    120_000,
  )

  it('is a module for a web page', async () => {
    const service = await start()
    const text = await (await fetch(`${service.origin}/client.js`)).text()
    const module = z
      .record(z.string(), z.unknown())
      .parse(await import(`data:text/javascript,${encodeURIComponent(text)}`))
    expect(Object.keys(module).sort()).toEqual(['Dossier', 'DossierError', 'replyOf'])
  }, 120_000)

  it('is not served when CLIENT is off', async () => {
    const service = await start({ CLIENT: 'off' })
    for (const path of ['/client.tgz', '/client.js']) {
      expect((await fetch(`${service.origin}${path}`)).status).toBe(404)
    }
  }, 120_000)
})

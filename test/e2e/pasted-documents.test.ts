import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import { parseRule } from '../../src/domain/segments/rule/parse-rule.js'
import { sharedService } from '../support/shared-service.js'

const environment = { READ_MODEL: 'data/read-model.db' }
const run = promisify(execFile)

/** Returns the commands of a document as one script, for a service at this address. */
function commandsIn(path: string, origin: string): string {
  const blocks = [...readFileSync(path, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)]
  return blocks
    .map(([, block = '']) => block)
    .join('\n')
    .replaceAll('http://127.0.0.1:3000', origin)
}

/** Each service runs the commands of two documents in sequence. */
const first = sharedService(environment)
const second = sharedService(environment)

describe('docs/reading.md', () => {
  it('has commands that work when they are pasted in order', async () => {
    const { origin, folder } = first()
    const script = commandsIn('docs/reading.md', origin)
    const requests = script.match(/curl -s/g) ?? []
    expect(requests.length).toBeGreaterThan(15)
    // The last command ends at its timeout, which curl reports as a failure.
    const { stdout, stderr } = await run('bash', ['-c', `${script}\ntrue`], { cwd: folder })
    expect(stderr).toBe('')
    expect(stdout).not.toContain('"status":"error"')
    expect(stdout.match(/"status":"success"/g)?.length).toBe(requests.length - 7)
    expect(stdout).toContain('"event_count":3')
    expect(stdout.match(/^event: live$/gm)).toHaveLength(2)
    expect(stdout.match(/^event: EntityCreated$/gm)).toHaveLength(1)
    expect(stdout.match(/^event: EventRecorded$/gm)).toHaveLength(5)
  })
})

describe('README.md', () => {
  it('has commands that show, when pasted, why an entity is in a segment', async () => {
    const { origin, folder } = first()
    const [, commands = ''] = commandsIn('README.md', origin).split('npm start\n')
    const script = commands.replace('npm install && npm test\n', '')
    const { stdout, stderr } = await run('bash', ['-c', script], { cwd: folder })
    expect(stderr).toBe('')
    expect(stdout).not.toContain('"status":"error"')
    expect(stdout.match(/"status":"success"/g)).toHaveLength(4)
    expect(stdout).toMatch(/^position: \d+\r$/m)
    expect(stdout).toContain('"segment":"win-back","version":1,"member":true')
    expect(stdout).toContain('"counted":1')
  })
})

describe('docs/first-event.md', () => {
  it('has five lines that print the profile of an entity with its first event', async () => {
    const { origin, key } = first()
    const [, lines = ''] =
      /^```js\n(.*?)^```$/ms.exec(readFileSync('docs/first-event.md', 'utf8')) ?? []
    expect(lines.match(/\n/g)).toHaveLength(5)
    const program = lines
      .replace("'dossier-client'", "'dossier/client'")
      .replace('http://127.0.0.1:3000', origin)
    const { stdout, stderr } = await run(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { env: { ...process.env, DOSSIER_KEY: key } },
    )
    expect(stderr).toBe('')
    expect(stdout).toContain('event_count: 1,')
  })

  it('has commands that are refused as it says, and a repeat that is stored once', async () => {
    const { origin, folder } = first()
    const script = commandsIn('docs/first-event.md', origin)
    const { stdout, stderr } = await run('bash', ['-c', script], { cwd: folder })
    expect(stderr).toBe('')
    const codes = [...stdout.matchAll(/"error":{"code":"(\w+)"/g)].map(([, code]) => code)
    expect(codes).toEqual(['unauthenticated', 'entity_not_found', 'validation_failed'])
    expect(stdout.match(/"details":\[({[^}]*},?){2}\]/g)).toHaveLength(1)
    expect(stdout.match(/"status":"success"/g)).toHaveLength(2)
    expect(stdout).toMatch(/^idempotency-replayed: true\r$/m)
  })
})

describe('docs/clients.md', () => {
  it('has five code examples that run in order', async () => {
    const { origin, key } = second()
    const document = readFileSync('docs/clients.md', 'utf8')
    const snippets = [...document.matchAll(/^```js\n(.*?)^```$/gms)].map(([, text = '']) => text)
    expect(snippets).toHaveLength(5)
    // The package as built here. How it is installed is in `client-package.thorough.test.ts`.
    const program = snippets
      .join('')
      .replace('dossier-client', 'dossier/client')
      .replaceAll('http://127.0.0.1:3000', origin)
    const { stdout, stderr } = await run(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { env: { ...process.env, DOSSIER_KEY: key } },
    )
    expect(stderr).toBe('')
    const id = String.raw`[0-9a-f-]{36}`
    const time = String.raw`[0-9-]{10}T[0-9:.]{12}Z`
    const expected = [
      String.raw`paid 1 \d+`,
      `entity_exists 409 no ${id} \\[\\]`,
      '2500',
      `true ${time} 1 ${time}`,
      `ada ${time}`,
      '2 0 0',
      'ada purchase',
      String.raw`user-\d+ login`,
      String.raw`\d+\.[0-9a-f]{8} 10`,
    ]
    expect(stdout).toMatch(new RegExp(`^${expected.join('\n')}\n$`))
  })
})

describe('docs/segments.md', () => {
  it('has commands that work when they are pasted in order', async () => {
    const { origin, folder } = second()
    const script = commandsIn('docs/segments.md', origin)
    const requests = script.match(/curl -s/g) ?? []
    const { stdout, stderr } = await run('bash', ['-c', `${script}\ntrue`], { cwd: folder })
    expect(stderr).toBe('')
    expect(stdout).not.toContain('"status":"error"')
    expect(stdout.match(/"status":"success"/g)?.length).toBe(requests.length - 2)
    expect(stdout.match(/^event: result$/gm)).toHaveLength(1)
    expect(stdout.match(/^event: SegmentBuilt$/gm)?.length).toBeGreaterThan(0)
    expect(stdout.match(/^event: EntityEnteredSegment$/gm)?.length).toBeGreaterThan(0)
    expect(stdout).toContain('"segment":"win-back","version":1,"member":true')
    expect(stdout).toContain('"counted":1')
  })

  it('has eleven valid rules', () => {
    const [, table = ''] = readFileSync('docs/segments.md', 'utf8').split('## Eleven rules\n')
    const rules = [...(table.split('\n## ')[0] ?? '').matchAll(/\| `(\{.*\})` +\|$/gm)]
    expect(rules).toHaveLength(11)
    for (const [, text = ''] of rules) {
      const rule: unknown = JSON.parse(text)
      expect(parseRule(rule)).toEqual({ rule })
    }
  })
})

describe('docs/api.md and docs/erasure.md', () => {
  it('have commands that work when they are pasted after those of the README', async () => {
    const { origin, folder } = first()
    const script = [commandsIn('docs/api.md', origin), commandsIn('docs/erasure.md', origin)]
    const { stdout, stderr } = await run('bash', ['-c', script.join('\n')], { cwd: folder })
    expect(stderr).toBe('')
    expect(stdout).not.toContain('"status":"error"')
    expect(stdout).toContain('"counts":{"stored":2')
    expect(stdout.match(/"reference":"DSR-17"/g)).toHaveLength(2)
  })
})

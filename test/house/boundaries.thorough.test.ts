import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { temporaryFolders } from '../support/temporary-folder.js'

/** One forbidden import per rule, in a file in which no other rule forbids it. */
const plants: readonly (readonly [rule: string, file: string, text: string])[] = [
  [
    'domain-imports-nothing-outside-itself',
    'src/domain/planted.ts',
    "export { createHash } from 'node:crypto'",
  ],
  [
    'application-imports-the-domain-only',
    'src/application/planted.ts',
    "export { systemClock } from '../adapters/system/clock-and-ids.js'",
  ],
  [
    'ports-know-no-use-case',
    'src/application/ports/planted.ts',
    "export type { UseCases } from '../use-cases.js'",
  ],
  [
    'adapters-import-inward-only',
    'src/adapters/memory/planted.ts',
    "export { tokens } from '../../composition/parts.js'",
  ],
  [
    'no-adapter-imports-a-sibling',
    'src/adapters/memory/planted-sibling.ts',
    "export type { Outcome } from '../sqlite/event-store/append/protocol.js'",
  ],
  [
    'a-capability-imports-no-other',
    'src/application/recording/planted.ts',
    "export { copyFactsUseCase } from '../migration/copy-facts.js'",
  ],
  [
    'segments-import-recording-and-reading-alone',
    'src/application/segments/planted.ts',
    "export { copyFactsUseCase } from '../migration/copy-facts.js'",
  ],
  [
    'webhooks-import-the-ports-of-reading-alone',
    'src/application/webhooks/planted.ts',
    "export type { SegmentInfo } from '../segments/ports/segment-queries.js'",
  ],
  [
    'the-event-store-and-the-read-model-share-the-file-alone',
    'src/adapters/sqlite/read-model/planted.ts',
    "export type { Outcome } from '../event-store/append/protocol.js'",
  ],
  [
    'client-imports-nothing-outside-itself',
    'src/client/planted.ts',
    "export type { JsonObject } from '../domain/json.js'",
  ],
  [
    'importing-speaks-through-the-client-alone',
    'src/importing/planted.ts',
    "export { sendBatches } from '../client/batch.js'",
  ],
  [
    'the-console-speaks-through-the-client-alone',
    'src/console/planted.ts',
    "export type { JsonObject } from '../domain/json.js'",
  ],
  [
    'nobody-imports-the-console',
    'src/client/planted-console.ts',
    "export { addressOf } from '../console/frame/route.js'",
  ],
  [
    'only-composition-knows-inversify',
    'src/adapters/memory/planted-inversify.ts',
    "export { Container } from 'inversify'",
  ],
  [
    'product-imports-no-development-package',
    'src/adapters/memory/planted-development.ts',
    "export { fc } from 'fast-check'",
  ],
]

describe('the dependency rule', () => {
  const folder = temporaryFolders()
  let complaints = ''

  beforeAll(() => {
    const copy = folder()
    for (const name of ['src', 'package.json', 'tsconfig.json', '.dependency-cruiser.cjs']) {
      cpSync(resolve(name), join(copy, name), { recursive: true })
    }
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
    for (const [, file, text] of plants) {
      mkdirSync(dirname(join(copy, file)), { recursive: true })
      writeFileSync(join(copy, file), `${text}\n`)
    }
    const { stdout, status } = spawnSync(
      process.execPath,
      [
        resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
        '--config',
        '.dependency-cruiser.cjs',
        'src',
      ],
      {
        cwd: copy,
        encoding: 'utf8',
      },
    )
    expect(status).not.toBe(0)
    complaints = stdout
  }, 60_000)

  it.each(plants)('%s: catches a planted import in %s', (rule, file) => {
    expect(complaints).toMatch(new RegExp(`error ${rule}: ${file} → `))
  })
})

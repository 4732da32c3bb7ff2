import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from '@jest/globals'
import { init, parse } from 'es-module-lexer'

const built = readFileSync('dist/client/dossier.js', 'utf8')

it('the built client is one file without imports', async () => {
  await init
  const [imports, exports] = parse(built)
  expect(imports.map(({ n }) => n)).toEqual([])
  expect(exports.map(({ n }) => n).sort()).toEqual(['Dossier', 'DossierError', 'replyOf'])
})

it('the built client has at most 12 KB when compressed', () => {
  expect(gzipSync(built).length).toBeLessThanOrEqual(12_288)
})

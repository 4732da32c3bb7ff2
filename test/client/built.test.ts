import { readFileSync } from 'node:fs'
import { expect, it } from '@jest/globals'
import { init, parse } from 'es-module-lexer'

const built = readFileSync('dist/client/dossier.js', 'utf8')

it('the built client is one file without imports', async () => {
  await init
  const [imports, exports] = parse(built)
  expect(imports.map(({ n }) => n)).toEqual([])
  expect(exports.map(({ n }) => n).sort()).toEqual(['Dossier', 'DossierError', 'replyOf'])
})

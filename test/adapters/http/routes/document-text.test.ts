import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import {
  builtDocument,
  documentsToBuild,
} from '../../../../src/adapters/http/routes/document-text.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'

const folder = temporaryFolders()
const pathsIn = (text = '{}') => Object.keys((JSON.parse(text) as { paths?: object }).paths ?? {})

it('a process reads the document of the routes that it serves, with or without a read model', () => {
  const place = folder()
  for (const [name, text] of documentsToBuild('1.2.3')) writeFileSync(join(place, name), text)
  const [withReads, withoutReads] = [true, false].map((hasReads) => builtDocument(place, hasReads))
  expect(JSON.parse(withReads ?? '')).toMatchObject({ info: { version: '1.2.3' } })
  expect(pathsIn(withReads)).toEqual(expect.arrayContaining(['/entities', '/totals']))
  expect(pathsIn(withoutReads)).toContain('/entities')
  expect(pathsIn(withoutReads)).not.toContain('/totals')
})

it('a process without these files has no document', () => {
  expect(builtDocument(folder(), true)).toBeUndefined()
})

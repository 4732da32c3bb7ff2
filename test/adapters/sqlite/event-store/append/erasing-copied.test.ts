import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { toStored } from '../../../../../src/application/facts/fact-format.js'
import { copyBetweenStores } from '../../../../../src/composition/commands.js'
import { entityStream } from '../../../../../src/domain/entity.js'
import { openSqliteStore } from '../../../../support/open-sqlite-store.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()
const at = '2026-11-20T09:30:00.007Z'
const entityId = '01a212d4-7603-70a2-8c75-404c35640300'
const context = { requestId: 'r', keyHash: undefined }

it('removes the facts of a person who was closed, but not yet emptied, when the file was copied', async () => {
  const [from, to] = [join(folder(), 'from.db'), join(folder(), 'to.db')]
  const source = await openSqliteStore(from)
  const created = { externalId: 'ada', properties: { mark: 'a secret of hers' }, createdAt: at }
  await source.append({
    stream: entityStream('ada'),
    expected: 'new',
    facts: [toStored({ id: entityId, type: 'EntityCreated', data: created }, context)],
  })
  const erased = { erasureId: 'e', entityId, at }
  const fact = toStored({ id: crypto.randomUUID(), type: 'EntityErased', data: erased }, context)
  const closing = { externalId: 'ada', entityId, fact, suppress: true }
  const { position: closedAt } = await source.erasable.close(closing)
  await source.close()
  await copyBetweenStores(
    { from: `sqlite:${from}`, to: `sqlite:${to}` },
    { begin: () => undefined, done: () => undefined, end: () => undefined },
  )

  const copy = await openSqliteStore(to)
  const person = { entityId, closedAt }
  const progress = await copy.erasable.remove(person, new AbortController().signal)
  expect(progress).toEqual({ facts: { EntityCreated: 1 }, keys: 0, isDone: true })
  const [place] = await copy.erasable.check(person)
  expect(place).toMatchObject({ place: 'store', state: 'purged' })
  await copy.close()
  expect(readFileSync(to).includes('a secret of hers')).toBe(false)
})

import { expect, it } from '@jest/globals'
import { Dossier } from '../../src/client/dossier.js'
import { fault, ScriptedService, success } from './scripted-service.js'

function at(position: string) {
  return success({ external_id: 'ada' }, { position })
}

function sentIn({ received }: ScriptedService) {
  return received.map(({ headers }) => headers['position'])
}

it('every read carries the highest Position of all replies', async () => {
  const service = await ScriptedService.start(at('9'), at('10'), at('4'), at('5'))
  const dossier = service.client()
  expect(dossier.position).toBeUndefined()
  await dossier.entities.get('ada')
  await dossier.entities.create('ada')
  expect(dossier.position).toBe('10')
  await dossier.entities.get('ada')
  await dossier.segments.evaluate({ rule: { everyone: true }, external_ids: ['ada'] })
  expect(sentIn(service)).toEqual([undefined, undefined, '10', '10'])
  expect(dossier.position).toBe('10')
})

it('the Position is shared by passing a client, and initialised by passing a position', async () => {
  const service = await ScriptedService.start(at('8'), at('12'), at('1'))
  const first = service.client({ position: '11' })
  const second = service.client({ position: first })
  expect(second.position).toBe('11')
  await second.entities.get('ada')
  await second.entities.get('ada')
  expect(first.position).toBe('12')
  await first.entities.get('ada')
  expect(sentIn(service)).toEqual(['11', '11', '12'])
  first.forget()
  expect(second.position).toBeUndefined()
  first.note('15')
  first.note('14')
  expect(second.position).toBe('15')
})

it('after 412 and forget(), a reply to an earlier request does not restore the Position', async () => {
  let answer: (() => void) | undefined
  const service = await ScriptedService.start(
    fault(412, 'position_unknown'),
    (response, request) => {
      answer = () => {
        void at('90')(response, request)
      }
      dossier.forget()
      answer()
    },
    at('3'),
  )
  const dossier = service.client({ position: '99' })
  await expect(dossier.entities.get('ada')).rejects.toMatchObject({
    code: 'position_unknown',
    status: 412,
    message: expect.stringContaining('forget()'),
  })
  expect(dossier.position).toBe('99')
  await dossier.entities.get('ada')
  expect(dossier.position).toBeUndefined()
  await dossier.entities.get('ada')
  expect(sentIn(service)).toEqual(['99', '99', undefined])
  expect(dossier.position).toBe('3')
})

it('an invalid Position is refused', () => {
  expect(() => new Dossier({ url: 'http://x', key: 'a-key', position: 'start' })).toThrow(TypeError)
})

it.each(['', 'localhost:3000', '127.0.0.1:3000', 'ftp://x', 'undefined'])(
  'the address %j is refused at once, not after retries',
  (url) => {
    expect(() => new Dossier({ url, key: 'a-key' })).toThrow(TypeError)
  },
)

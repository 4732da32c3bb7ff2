import { expect, test } from '@jest/globals'
import { eventFinder } from '../../src/composition/container.js'
import { readSettings } from '../../src/composition/settings.js'
import { httpService } from '../support/http-service.js'

const { readModel } = httpService()

function finder(settings: Readonly<Record<string, string>>) {
  return eventFinder(readSettings(settings), readModel)
}

test('a store of one process voids events unless VOID is off', () => {
  expect(finder({ STORE_URL: 'memory:' })).toBeInstanceOf(Function)
  expect(finder({ STORE_URL: 'memory:', VOID: 'off' })).toBe('voids_off')
})

test('a store that several processes write to voids events only when VOID is on', () => {
  const shared = { STORE_URL: 'esdb://localhost:2113?tls=false' }
  expect(finder(shared)).toBe('voids_off')
  expect(finder({ ...shared, VOID: 'on' })).toBeInstanceOf(Function)
})

test('a process without a read model voids no events', () => {
  expect(eventFinder(readSettings({ STORE_URL: 'memory:' }), undefined)).toBe('no_read_model')
})

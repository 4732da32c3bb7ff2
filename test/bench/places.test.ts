import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { givenPath } from '../../bench/places.js'

let calledFrom: string | undefined
beforeEach(() => {
  calledFrom = process.env['INIT_CWD']
})
afterEach(() => {
  if (calledFrom === undefined) delete process.env['INIT_CWD']
  else process.env['INIT_CWD'] = calledFrom
})

test('a path is meant from where npm was called', () => {
  process.env['INIT_CWD'] = '/somewhere/else'
  expect(givenPath('../other')).toBe('/somewhere/other')
  expect(givenPath('/full/path')).toBe('/full/path')
})

test('without npm it is meant from the folder it is called in', () => {
  delete process.env['INIT_CWD']
  expect(givenPath('other')).toBe(`${process.cwd()}/other`)
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { readOptions } from '../../../examples/online-retail/options.js'

const key = 'a-key-that-nobody-may-see'
const env = { DOSSIER_KEY: key }

describe('the options', () => {
  test('have defaults', () => {
    expect(readOptions([], env)).toMatchObject({ key, batch: 250, inFlight: 4, limitMs: 60_000 })
    expect(readOptions([], env)?.file).toMatch(/examples.online-retail.orders\.csv\.gz$/)
  })

  test('prefer the key of a file to the key of the environment', () => {
    const folder = mkdtempSync(join(tmpdir(), 'key-'))
    const path = join(folder, 'first-key')
    writeFileSync(path, 'the-key-in-the-file\n')
    expect(readOptions(['--key-file', path], env)?.key).toBe('the-key-in-the-file')
    rmSync(folder, { recursive: true })
  })

  test.each([
    [['--in-flight', '0'], env, /--in-flight must be a whole number/],
    [['--batch', '1001'], env, /--batch must be a whole number from 1 to 1000/],
    [['--limit', '1.5'], env, /--limit must be a whole number/],
    [['--url', 'localhost:3000'], env, /--url must be/],
    [['--colour'], env, /Unknown option '--colour'/],
    [[], {}, /no API key/],
    [['--key-file', '/no/such/file'], env, /key file cannot be read/],
    [[], { DOSSIER_KEY: 'two words' }, /API key must have/],
  ])('%j are refused', (args, environment, message) => {
    expect(() => readOptions(args, environment)).toThrow(message)
  })

  test.each([[[`--key=${key}`]], [['--key', key]], [[key]], [[`-k${key}`]]])(
    'never take a key from the command line, nor repeat it',
    (args) => {
      expect(() => readOptions(args, {})).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining(key) }),
      )
    },
  )
})

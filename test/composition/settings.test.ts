import { describe, expect, it } from '@jest/globals'
import { readApiKeysFile, readSettings, SettingsWrong } from '../../src/composition/settings.js'

describe('settings', () => {
  it('have the documented defaults', () => {
    expect(readSettings({ PATH: '/bin', DOSSIER: 'x' })).toEqual({
      host: '127.0.0.1',
      port: 3_000,
      storeUrl: 'sqlite:./data/dossier.db',
      storeTimeoutMs: 5_000,
      maxInFlight: 4_096,
      apiKey: undefined,
      apiKeysFile: './data/api-keys.json',
      bodyLimit: 262_144,
      erase: undefined,
      eraseLedger: 'data/erasure-ledger',
      void: undefined,
      readModel: undefined,
      readWaitMs: 1_000,
      searchProperties: ['/email'],
      shutdownDelayMs: 0,
      shutdownTimeoutMs: 10_000,
      logLevel: 'info',
      logRequests: false,
      rateLimit: undefined,
      trackOrigins: [],
      trackContext: ['page', 'campaign', 'library', 'locale', 'timezone'],
      trackLenient: false,
      webhooks: true,
      webhookSecret: undefined,
      webhookInsecure: false,
      webhookPrivate: false,
      publicUrl: undefined,
      console: true,
      client: true,
      dossierImage: false,
    })
  })

  it.each([
    ['[::1]', '::1'],
    ['[::ffff:127.0.0.1]', '::ffff:127.0.0.1'],
    ['::1', '::1'],
    ['[localhost]', '[localhost]'],
  ])('accept HOST %s as %s', (given, host) => {
    expect(readSettings({ HOST: given }).host).toBe(host)
  })

  it('are read from the environment', () => {
    const env = {
      HOST: '0.0.0.0',
      PORT: '0',
      STORE_URL: 'memory:',
      STORE_TIMEOUT_MS: '1',
      MAX_IN_FLIGHT: '1',
      API_KEY: '~'.repeat(255),
      API_KEYS_FILE: '/keys.json',
      BODY_LIMIT: '1048576',
      ERASE: 'on',
      ERASE_LEDGER: '/ledger',
      VOID: 'off',
      READ_MODEL: 'off',
      READ_WAIT_MS: '250',
      SEARCH_PROPERTIES: '/email, /address/city,/a~1b,/email',
      SHUTDOWN_DELAY_MS: '5',
      SHUTDOWN_TIMEOUT_MS: '6',
      LOG_LEVEL: 'silent',
      LOG_REQUESTS: 'on',
      RATE_LIMIT: '7',
      TRACK_ORIGINS: 'https://example.com, http://localhost:8080',
      TRACK_CONTEXT: 'page.url,app',
      TRACK_LENIENT: 'on',
      WEBHOOKS: 'off',
      WEBHOOK_SECRET: '~'.repeat(32),
      WEBHOOK_INSECURE: 'on',
      WEBHOOK_PRIVATE: 'on',
      PUBLIC_URL: 'https://example.com/dossier',
      CONSOLE: 'off',
      CLIENT: 'off',
      DOSSIER_IMAGE: 'true',
    }
    expect(readSettings(env)).toEqual({
      host: '0.0.0.0',
      port: 0,
      storeUrl: 'memory:',
      storeTimeoutMs: 1,
      maxInFlight: 1,
      apiKey: '~'.repeat(255),
      apiKeysFile: '/keys.json',
      bodyLimit: 1_048_576,
      erase: true,
      eraseLedger: '/ledger',
      void: false,
      readModel: 'off',
      readWaitMs: 250,
      searchProperties: ['/email', '/address/city', '/a~1b'],
      shutdownDelayMs: 5,
      shutdownTimeoutMs: 6,
      logLevel: 'silent',
      logRequests: true,
      rateLimit: 7,
      trackOrigins: ['https://example.com', 'http://localhost:8080'],
      trackContext: ['page.url', 'app'],
      trackLenient: true,
      webhooks: false,
      webhookSecret: '~'.repeat(32),
      webhookInsecure: true,
      webhookPrivate: true,
      publicUrl: 'https://example.com/dossier',
      console: false,
      client: false,
      dossierImage: true,
    })
  })

  it.each([
    ['HOST', ''],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3e3'],
    ['PORT', ' 3000'],
    ['PORT', ''],
    ['STORE_URL', ''],
    ['STORE_URL', 'sqlite:'],
    ['STORE_URL', 'memory'],
    ['STORE_URL', 'memory:x'],
    ['STORE_URL', 'mysql://secret@host'],
    ['STORE_TIMEOUT_MS', '0'],
    ['MAX_IN_FLIGHT', '0'],
    ['API_KEY', ''],
    ['API_KEY', 'with a space in the middle'],
    ['API_KEY', 'x'.repeat(256)],
    ['API_KEYS_FILE', ''],
    ['BODY_LIMIT', '1023'],
    ['BODY_LIMIT', '1048577'],
    ['SEARCH_PROPERTIES', 'email'],
    ['SEARCH_PROPERTIES', '/email,/~2'],
    ['SEARCH_PROPERTIES', '/1,/2,/3,/4,/5,/6,/7,/8,/9'],
    ['SHUTDOWN_DELAY_MS', '1.5'],
    ['TRACK_ORIGINS', 'shop.example'],
    ['TRACK_ORIGINS', 'https://example.com/page'],
    ['TRACK_CONTEXT', 'page..url'],
    ['TRACK_CONTEXT', '__proto__.x'],
    ['TRACK_LENIENT', 'yes'],
    ['WEBHOOK_SECRET', 'shorter-than-32-characters'],
    ['WEBHOOKS', 'maybe'],
    ['PUBLIC_URL', 'ftp://example.com'],
    ['SHUTDOWN_TIMEOUT_MS', '0'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_REQUESTS', '1'],
    ['RATE_LIMIT', '0'],
    ['RATE_LIMIT', '1000001'],
    ['RATE_LIMIT', '100/s'],
    ['RATE_LIMIT', ''],
  ])('refuse %s=%j by its name, without its value', (name, value) => {
    const read = () => readSettings({ [name]: value })
    expect(read).toThrow(SettingsWrong)
    expect(read).toThrow(new RegExp(`^${name} must `))
    if (value.length > 10) expect(read).not.toThrow(value)
  })

  it('accept an API_KEY of 1 to 255 characters, and the refusal states this', () => {
    expect(readSettings({ API_KEY: 'x' }).apiKey).toBe('x')
    expect(() => readSettings({ API_KEY: 'x'.repeat(256) })).toThrow('1 to 255')
  })

  it('make no property searchable when SEARCH_PROPERTIES is empty', () => {
    expect(readSettings({ SEARCH_PROPERTIES: '' }).searchProperties).toEqual([])
  })

  it('report all faults at once, one per line', () => {
    try {
      readSettings({ PORT: 'x', BODY_LIMIT: 'y', LOG_LEVEL: 'z' })
      throw new Error('nothing was refused')
    } catch (error) {
      expect(error).toMatchObject({ faults: [/^PORT/, /^BODY_LIMIT/, /^LOG_LEVEL/].map(matching) })
    }
  })
})

describe('the keys file of the key commands', () => {
  it('is found without the other settings', () => {
    expect(readApiKeysFile({ PORT: 'x' })).toBe('./data/api-keys.json')
    expect(readApiKeysFile({ API_KEYS_FILE: 'k' })).toBe('k')
    expect(() => readApiKeysFile({ API_KEYS_FILE: '' })).toThrow(SettingsWrong)
  })
})

function matching(form: RegExp) {
  return expect.stringMatching(form)
}

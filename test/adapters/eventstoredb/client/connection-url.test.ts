import { describe, expect, it } from '@jest/globals'
import { parseConnectionUrl } from '../../../../src/adapters/eventstoredb/client/connection-url.js'

const ours = 'connectionName=dossier&maxDiscoverAttempts=3&discoveryInterval=100&gossipTimeout=1'

describe('a connection string', () => {
  it('is shown, and given to the client, without user and password', () => {
    const url = parseConnectionUrl('esdb://dos%3Asier:p%40ss@a:2113,b:2113?tls=true')
    expect(url).toEqual({
      forClient: `esdb://a:2113,b:2113?tls=true&${ours}`,
      shown: 'esdb://a:2113,b:2113',
      credentials: { username: 'dos:sier', password: 'p@ss' },
    })
  })

  it('keeps the options that it has, whatever the case of their names', () => {
    const url = parseConnectionUrl('esdb+discover://a?GOSSIPTIMEOUT=7&tls=false')
    expect(url?.forClient).toBe(
      'esdb+discover://a?GOSSIPTIMEOUT=7&tls=false&connectionName=dossier&maxDiscoverAttempts=3&discoveryInterval=100',
    )
  })

  it('without a user has one that an insecure server ignores', () => {
    expect(parseConnectionUrl('esdb://a:2113?tls=false')?.credentials).toEqual({
      username: 'dossier',
      password: '',
    })
  })

  it.each([
    'sqlite:x',
    'esdb:',
    'esdb://',
    'esdb://user@a:2113',
    'esdb://us:er:pass@a:2113',
    'esdb://:pass@a:2113',
    'esdb://user:%zz@a:2113',
  ])('%s is none', (text) => {
    expect(parseConnectionUrl(text)).toBeUndefined()
  })
})

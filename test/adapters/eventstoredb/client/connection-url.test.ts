import { describe, expect, it } from '@jest/globals'
import { parseConnectionUrl } from '../../../../src/adapters/eventstoredb/client/connection-url.js'

const defaults = {
  tls: true,
  connectionName: 'dossier',
  maxDiscoverAttempts: 3,
  discoveryInterval: 100,
  gossipTimeout: 1,
  nodePreference: 'leader',
  defaultDeadline: 10_000,
  keepAliveInterval: 10_000,
  keepAliveTimeout: 10_000,
}

describe('a connection string', () => {
  it('is shown without user and password', () => {
    expect(parseConnectionUrl('esdb://dos%3Asier:p%40ss@a:2113,b:2114')).toEqual({
      discovery: 'gossip',
      hosts: [
        { address: 'a', port: 2113 },
        { address: 'b', port: 2114 },
      ],
      options: defaults,
      shown: 'esdb://a:2113,b:2114',
      credentials: { username: 'dos:sier', password: 'p@ss' },
    })
  })

  it('with one host means that host, unless it declares a name of many hosts', () => {
    const hosts = [{ address: 'a', port: 2113 }]
    expect(parseConnectionUrl('esdb://a')).toMatchObject({ discovery: 'fixed', hosts })
    expect(parseConnectionUrl('esdb+discover://a/')).toMatchObject({ discovery: 'dns', hosts })
  })

  it('has a scheme in any case, like every URL', () => {
    for (const [given, meant] of [
      ['KURRENTDB://a:2113?tls=false', 'kurrentdb://a:2113?tls=false'],
      ['EsDb+Discover://A', 'esdb+discover://A'],
    ]) {
      expect(parseConnectionUrl(given ?? '')).toEqual(parseConnectionUrl(meant ?? ''))
    }
    expect(parseConnectionUrl('KURRENTDB://a')).toBeDefined()
  })

  it('of KurrentDB means the same as one of EventStoreDB', () => {
    for (const rest of ['://a:2113?tls=false', '://us:pass@a,b', '+discover://a']) {
      const shown = `kurrentdb${rest}`.replace('us:pass@', '').replace('?tls=false', '')
      expect(parseConnectionUrl(`kurrentdb${rest}`)).toEqual({
        ...parseConnectionUrl(`esdb${rest}`),
        shown,
      })
    }
  })

  it('accepts options in any spelling of their names', () => {
    const query =
      'GOSSIPTIMEOUT=7&tls=false&node-preference=read_only_replica&keep_alive_timeout=-1'
    expect(parseConnectionUrl(`esdb://a?${query}`)?.options).toEqual({
      ...defaults,
      gossipTimeout: 7,
      tls: false,
      nodePreference: 'read_only_replica',
      keepAliveTimeout: -1,
    })
    const files = 'tlsCAFile=%2Fa%20b&userCertFile=c&userKeyFile=d=e'
    expect(parseConnectionUrl(`esdb://a?${files}`)?.options).toMatchObject({
      tlsCAFile: '/a b',
      userCertFile: 'c',
      userKeyFile: 'd=e',
    })
  })

  it('without a user gets a user that an insecure server ignores', () => {
    expect(parseConnectionUrl('esdb://a:2113?tls=false')?.credentials).toEqual({
      username: 'dossier',
      password: '',
    })
  })

  it.each([
    'sqlite:x',
    'kurrentdb:',
    'kurrent://a',
    'kurrentdb-discover://a',
    'esdb:',
    'esdb://',
    'esdb://a,',
    'esdb://a:b',
    'esdb://a:1:2',
    'esdb://user@a:2113',
    'esdb://us:er:pass@a:2113',
    'esdb://:pass@a:2113',
    'esdb://user:%zz@a:2113',
    'esdb://a?tls=no',
    'esdb://a?gossipTimeout=1s',
    'esdb://a?gossipTimeout=',
    'esdb://a?nodePreference=nearest',
    'esdb://a?tlsCaFiles=x',
    'esdb://a?tlsCAFile=%zz',
    'esdb://a?userCertFile=x',
  ])('%s is invalid', (text) => {
    expect(parseConnectionUrl(text)).toBeUndefined()
  })
})

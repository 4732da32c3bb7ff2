import type { Credentials } from '@eventstore/db-client'

const form = /^(esdb(?:\+discover)?:\/\/)(?:([^@/?]*)@)?([^/?]+)(\/?)(?:\?(.*))?$/

export interface ConnectionUrl {
  /**
   * For the client, with what we need of it when the URL does not say otherwise, and without user and
   * password: it prints a URL of which it does not know an option.
   */
  readonly forClient: string
  /** For the log: without user and password. */
  readonly shown: string
  /**
   * Sent with each call: without them the client takes a path of its own that can end the process. A
   * server without security ignores them.
   */
  readonly credentials: Credentials
}

/**
 * A client that finds no leader must say so while its caller still waits: discovery is not under any
 * call's deadline. Gossip in seconds, the interval in milliseconds.
 */
const ours: Readonly<Record<string, string>> = {
  connectionName: 'dossier',
  maxDiscoverAttempts: '3',
  discoveryInterval: '100',
  gossipTimeout: '1',
}

/** Undefined when it is not a connection string of EventStoreDB. */
export function parseConnectionUrl(url: string): ConnectionUrl | undefined {
  const [, scheme, user, hosts, , query = ''] = form.exec(url) ?? []
  if (scheme === undefined || hosts === undefined) return undefined
  const credentials = credentialsIn(user)
  if (credentials === undefined) return undefined
  const given = query.split('&').filter((pair) => pair !== '')
  const names = new Set(given.map((pair) => pair.split('=', 1).join('').toLowerCase()))
  const added = Object.entries(ours)
    .filter(([name]) => !names.has(name.toLowerCase()))
    .map(([name, value]) => `${name}=${value}`)
  return {
    forClient: `${scheme}${hosts}?${[...given, ...added].join('&')}`,
    shown: `${scheme}${hosts}`,
    credentials,
  }
}

function credentialsIn(user: string | undefined): Credentials | undefined {
  if (user === undefined) return { username: 'dossier', password: '' }
  const [username, password, ...more] = user.split(':')
  if (!username || password === undefined || more.length > 0) return undefined
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    return undefined
  }
}

import type { Credentials } from '@eventstore/db-client'
import { parseConnectionOptions, type ConnectionOptions } from './connection-options.js'

const pattern = /^((?:esdb|kurrentdb)(\+discover)?):\/\/(?:([^@/?]*)@)?([^/?]+)\/?(?:\?(.*))?$/i
const hostPattern = /^([\w.-]+)(?::(\d{1,5}))?$/
const defaultPort = 2113

export interface Host {
  readonly address: string
  readonly port: number
}

export interface ConnectionUrl {
  /**
   * The way in which the client finds the server. `fixed`: the first host is the server. `dns`: the first host's
   * name resolves to the nodes, which the client asks for the leader. `gossip`: the client asks all hosts for the
   * leader.
   */
  readonly discovery: 'fixed' | 'dns' | 'gossip'
  readonly hosts: readonly Host[]
  readonly options: ConnectionOptions
  /** The URL without user and password, for the application log. */
  readonly shown: string
  /**
   * The credentials of every call. They are always set, because without credentials the official
   * client takes a code path that can end the process. A server without security ignores them.
   */
  readonly credentials: Credentials
}

/**
 * Parses a connection string of EventStoreDB, which is named KurrentDB since version 25. Returns undefined for other
 * text.
 */
export function parseConnectionUrl(url: string): ConnectionUrl | undefined {
  const [, scheme, discover, user, names = '', query = ''] = pattern.exec(url) ?? []
  if (scheme === undefined) return undefined
  const hosts = names.split(',').flatMap(hostIn)
  const credentials = credentialsIn(user)
  const options = parseConnectionOptions(query)
  if (hosts.length !== names.split(',').length) return undefined
  if (credentials === undefined || options === undefined) return undefined
  const discovery = discover !== undefined ? 'dns' : hosts.length > 1 ? 'gossip' : 'fixed'
  return { discovery, hosts, options, shown: `${scheme.toLowerCase()}://${names}`, credentials }
}

function hostIn(text: string): readonly Host[] {
  const [, address, port = defaultPort] = hostPattern.exec(text) ?? []
  return address === undefined ? [] : [{ address, port: Number(port) }]
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

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { scopes, type Scope } from '../http/ports/key-ring.js'
import type { KeyEntry } from './keys-file.js'
import { createKey, isLive, KeyCommandRefused, listKeys, revokeKey } from './manage-keys.js'

const keysUsage = `Usage:
  node dist/keys.js create --name NAME --scope write [--scope read] [--scope segments] [--scope track]
  node dist/keys.js list
  node dist/keys.js revoke ID_OR_NAME`

interface Screen {
  result(line: string): void
  remark(line: string): void
}

/** Runs one key command on the file at `path`. Throws `KeyCommandRefused` or `KeysFileUnusable`. */
export function runKeysCommand(words: readonly string[], path: string, screen: Screen): void {
  const [command, ...rest] = words
  switch (command) {
    case 'create':
      create(rest, path, screen)
      return
    case 'list':
      list(path, screen)
      return
    case 'revoke':
      revoke(rest, path, screen)
      return
    default:
      throw new KeyCommandRefused(keysUsage)
  }
}

function create(words: string[], path: string, screen: Screen): void {
  const { name, scope } = createOptions(words)
  if (name === undefined || name.trim() === '' || scope === undefined) {
    throw new KeyCommandRefused(`create needs --name and --scope\n${keysUsage}`)
  }
  const wanted = [...new Set(scope.flatMap((one) => one.split(',')))].map(scopeOf)
  const { key, id } = createKey(path, name, wanted)
  screen.remark(`Key ${id} "${name}" (${wanted.join(', ')}) is in ${resolve(path)}.`)
  screen.remark('A running service that can read this file accepts it within 2 seconds.')
  screen.remark('The key is shown this once:')
  screen.result(key)
}

function createOptions(words: string[]) {
  try {
    const options = { name: { type: 'string' }, scope: { type: 'string', multiple: true } } as const
    return parseArgs({ args: words, options, strict: true }).values
  } catch (error) {
    throw new KeyCommandRefused(`${error instanceof Error ? error.message : ''}\n${keysUsage}`)
  }
}

function scopeOf(word: string): Scope {
  const scope = scopes.find((one) => one === word)
  if (scope === undefined) throw new KeyCommandRefused(`--scope takes ${scopes.join(', ')}`)
  return scope
}

function list(path: string, screen: Screen): void {
  const entries = listKeys(path)
  if (entries.length === 0) screen.remark(`${path} contains no keys.`)
  for (const entry of entries) screen.result(lineOf(entry))
}

function lineOf(entry: KeyEntry): string {
  const { id, name, scopes: granted, created_at: createdAt, revoked_at: revokedAt } = entry
  const state = isLive(entry) ? 'live' : `revoked ${revokedAt ?? ''}`
  return [id, JSON.stringify(name), granted.join(','), `created ${createdAt}`, state].join('  ')
}

function revoke(words: readonly string[], path: string, screen: Screen): void {
  const [idOrName, ...others] = words
  if (idOrName === undefined || others.length > 0) {
    throw new KeyCommandRefused(`revoke needs one id or name\n${keysUsage}`)
  }
  const { id, name } = revokeKey(path, idOrName)
  screen.remark(
    `Key ${id} "${name}" is revoked in ${resolve(path)}. A running service that can read this file ` +
      'refuses it within 2 seconds. A service that cannot read it logs an error and keeps the keys ' +
      'that it has read last.',
  )
}

import { resolve } from 'node:path'
import type { KeyEntry } from '../adapters/api-keys/keys-file.js'
import {
  createKey,
  isLive,
  KeyCommandRefused,
  listKeys,
  revokeKey,
} from '../adapters/api-keys/manage-keys.js'
import { KeysFileUnusable } from '../adapters/api-keys/replace-file.js'
import { commandOf, CommandLineWrong, type Given } from '../adapters/cli/command-line.js'
import { didYouMean } from '../domain/near-miss.js'
import { scopes, type Scope } from '../adapters/http/ports/key-ring.js'
import { readApiKeysFile, SettingsWrong } from '../composition/settings.js'

const form = {
  name: 'keys',
  about: `Creates, lists and revokes API keys in the file of API_KEYS_FILE (default: ./data/api-keys.json).
A running service applies a change within 2 seconds.`,
  usage: ['create --name NAME --scope SCOPE [--scope SCOPE]', 'list', 'revoke ID_OR_NAME'],
  options: {
    name: { type: 'string', value: 'NAME', about: 'the name of the new key' },
    scope: {
      type: 'string',
      multiple: true,
      value: 'SCOPE',
      about: `what the new key may do: ${scopes.join(', ')}`,
    },
  },
  takesArguments: true,
  example: 'dossier keys create --name web --scope write',
  exitCodes: [
    [0, 'done; create prints the key, and the key is shown this once'],
    [1, 'refused, or the file cannot be used: the message says why'],
    [2, 'the command line is wrong; nothing was changed'],
  ],
} as const

/** Prints the key or the list to standard output, and everything else to standard error. */
export const command = commandOf(form, (given) => {
  try {
    runKeysCommand(given, readApiKeysFile(process.env), {
      result: (line) => process.stdout.write(`${line}\n`),
      remark: (line) => process.stderr.write(`${line}\n`),
    })
    return 0
  } catch (error) {
    if (!isForPeople(error)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
})

function isForPeople(error: unknown): error is Error {
  return [KeyCommandRefused, KeysFileUnusable, SettingsWrong].some((kind) => error instanceof kind)
}

interface Screen {
  result(line: string): void
  remark(line: string): void
}

/** Runs one key command on the file at `path`. Throws `CommandLineWrong`, `KeyCommandRefused` or `KeysFileUnusable`. */
function runKeysCommand(
  { values, positionals: [command, ...words] }: Given<typeof form>,
  path: string,
  screen: Screen,
): void {
  const run = command === undefined ? undefined : commands[command]
  if (run === undefined) throw new CommandLineWrong(unknownCommand(command))
  run({ ...values, words }, path, screen)
}

interface KeyWords {
  readonly name?: string | undefined
  readonly scope?: string[] | undefined
  readonly words: readonly string[]
}

type KeyCommand = (given: KeyWords, path: string, screen: Screen) => void

const commands: Readonly<Record<string, KeyCommand | undefined>> = { create, list, revoke }

function unknownCommand(command: string | undefined): string {
  const names = Object.keys(commands)
  if (command === undefined) return `it needs one of ${names.join(', ')}`
  return `there is no command keys ${command}.${didYouMean(command, names)}`
}

function create({ name, scope, words }: KeyWords, path: string, screen: Screen): void {
  if (words.length > 0) throw new CommandLineWrong('create takes --name and --scope only')
  if (name === undefined || name.trim() === '' || scope === undefined) {
    throw new CommandLineWrong('create needs --name and --scope')
  }
  const wanted = [...new Set(scope.flatMap((one) => one.split(',')))].map(scopeOf)
  const { key, id } = createKey(path, name, wanted)
  screen.remark(`Key ${id} "${name}" (${wanted.join(', ')}) is in ${resolve(path)}.`)
  screen.remark('A running service that can read this file accepts it within 2 seconds.')
  screen.remark('The key is shown this once:')
  screen.result(key)
}

function scopeOf(word: string): Scope {
  const scope = scopes.find((one) => one === word)
  if (scope === undefined) throw new CommandLineWrong(`--scope takes ${scopes.join(', ')}`)
  return scope
}

function list(given: KeyWords, path: string, screen: Screen): void {
  refuseOptions(given)
  if (given.words.length > 0) throw new CommandLineWrong('list takes no argument')
  const entries = listKeys(path)
  if (entries.length === 0) screen.remark(`${path} contains no keys.`)
  for (const entry of entries) screen.result(lineOf(entry))
}

function lineOf(entry: KeyEntry): string {
  const { id, name, scopes: granted, created_at: createdAt, revoked_at: revokedAt } = entry
  const state = isLive(entry) ? 'live' : `revoked ${revokedAt ?? ''}`
  return [id, JSON.stringify(name), granted.join(','), `created ${createdAt}`, state].join('  ')
}

function revoke(given: KeyWords, path: string, screen: Screen): void {
  refuseOptions(given)
  const [idOrName, ...others] = given.words
  if (idOrName === undefined || others.length > 0) {
    throw new CommandLineWrong('revoke needs one id or name')
  }
  const { id, name } = revokeKey(path, idOrName)
  screen.remark(
    `Key ${id} "${name}" is revoked in ${resolve(path)}. A running service that can read this file ` +
      'refuses it within 2 seconds. A service that cannot read it logs an error and keeps ' +
      'the keys that it has read last.',
  )
}

function refuseOptions({ name, scope }: KeyWords): void {
  if (name === undefined && scope === undefined) return
  throw new CommandLineWrong('only create takes --name and --scope')
}

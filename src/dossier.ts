#!/usr/bin/env node
import {
  asksForHelp,
  columns,
  CommandLineWrong,
  helpOf,
  type Command,
} from './adapters/cli/command-line.js'
import { didYouMean } from './domain/near-miss.js'

/**
 * The program `dossier`. Its first argument is a command. The module of a command is loaded only when the
 * command is used.
 */
interface Entry {
  readonly about: string
  load(): Promise<{ readonly command: Command }>
}

const commands: Readonly<Record<string, Entry>> = {
  start: { about: 'starts the service', load: () => import('./commands/start.js') },
  keys: { about: 'creates, lists and revokes API keys', load: () => import('./commands/keys.js') },
  import: {
    about: 'loads NDJSON or CSV files into a running service',
    load: () => import('./commands/import.js'),
  },
  copy: { about: 'copies all facts to another store', load: () => import('./commands/copy.js') },
  audit: {
    about: 'compares the read model with the facts',
    load: () => import('./commands/audit.js'),
  },
  vacuum: {
    about: 'removes deleted data from the files of a stopped service',
    load: () => import('./commands/vacuum.js'),
  },
  demo: {
    about: 'starts a separate service with the orders of a real shop',
    load: () => import('./commands/demo.js'),
  },
}

const help = `Dossier: customer profiles, events and segments over HTTP.

Usage:
  dossier COMMAND [options]

Commands:
${columns(Object.entries(commands).map(([name, { about }]) => [`  ${name}`, about])).join('\n')}

Options:
  --help, -h  shows this help, or the help of a command: dossier import --help
  --version   shows the version

Example:
  PORT=8080 dossier start
`

const wrongUsage = 2

async function run([name, ...words]: readonly string[]): Promise<number> {
  const entry = name === undefined || !Object.hasOwn(commands, name) ? undefined : commands[name]
  if (entry === undefined) return runWithoutCommand(name, words)
  const { command } = await entry.load()
  if (asksForHelp(words)) {
    process.stdout.write(helpOf(command.form))
    return 0
  }
  try {
    return await command.run(words)
  } catch (error) {
    if (!(error instanceof CommandLineWrong)) throw error
    const call = `dossier ${command.form.name}`
    process.stderr.write(`${call}: ${error.message}\nHelp: ${call} --help\n`)
    return wrongUsage
  }
}

async function runWithoutCommand(
  name: string | undefined,
  words: readonly string[],
): Promise<number> {
  if (words.length > 0 && name !== undefined && ['--help', '-h', '--version'].includes(name)) {
    process.stderr.write(`dossier: ${name} takes no argument.\nHelp: dossier --help\n`)
    return wrongUsage
  }
  if (name !== undefined && asksForHelp([name])) {
    process.stdout.write(help)
    return 0
  }
  if (name === '--version') {
    const { versionOfPackage } = await import('./composition/version.js')
    process.stdout.write(`${versionOfPackage()}\n`)
    return 0
  }
  if (name === undefined) process.stderr.write(help)
  else {
    const kind = name.startsWith('-') ? 'option' : 'command'
    const near = didYouMean(name, [...Object.keys(commands), '--help', '--version'])
    process.stderr.write(`dossier: there is no ${kind} ${name}.${near}\nHelp: dossier --help\n`)
  }
  return wrongUsage
}

const exitCode = await run(process.argv.slice(2))
if (exitCode !== 0) process.exitCode = exitCode

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { runProgram } from '../support/run-program.js'
import { startedProgram } from '../support/started-programs.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const commands = ['start', 'keys', 'import', 'copy', 'audit', 'vacuum', 'demo']

function dossier(...words: readonly string[]) {
  return runProgram(startedProgram('dossier'), words, { cwd: folder() })
}

describe('the program dossier', () => {
  it('lists its commands in its help, and the parts of each command in the help of the command', async () => {
    const all = await dossier('--help')
    expect(all).toMatchObject({ code: 0, stderr: '' })
    for (const command of commands) expect(all.stdout).toMatch(new RegExp(`^ +${command}  `, 'm'))
    for (const help of await Promise.all(commands.map((command) => dossier(command, '--help')))) {
      expect(help).toMatchObject({ code: 0, stderr: '' })
      expect(help.stdout).toMatch(
        /\n\nUsage:\n[^]*\n\nOptions:\n[^]*\n\nExample:\n[^]*\n\nExit codes:\n/,
      )
    }
  })

  it('shows the version of the package', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(await dossier('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it.each([
    [
      ['improt', 'a.csv'],
      'there is no command improt. Did you mean "import"?\nHelp: dossier --help',
    ],
    [
      ['--verison'],
      'there is no option --verison. Did you mean "--version"?\nHelp: dossier --help',
    ],
    [['--version', 'x'], '--version takes no argument.\nHelp: dossier --help'],
    [['--help', 'import'], '--help takes no argument.\nHelp: dossier --help'],
    [['toString'], 'there is no command toString.\nHelp: dossier --help'],
  ])('refuses %j with exit code 2', async (words, message) => {
    expect(await dossier(...words)).toEqual({
      code: 2,
      stdout: '',
      stderr: `dossier: ${message}\n`,
    })
  })

  it('refuses an unknown option of a command with exit code 2', async () => {
    expect(await dossier('start', '--prot', '1')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'dossier start: there is no option --prot.\nHelp: dossier start --help\n',
    })
  })
})

it('the demo checks its file before it starts a service, and leaves no data behind', async () => {
  const place = folder()
  writeFileSync(join(place, 'orders.csv'), 'a,b\n')
  for (const [file, message] of [
    ['none.csv', /^.*none\.csv cannot be read: ENOENT.*\n$/],
    ['orders.csv', /^.*orders\.csv: line 1: the header lacks InvoiceNo.*\n$/],
  ] as const) {
    const words = ['demo', '--file', file, '--data', 'data']
    const options = { cwd: place, INIT_CWD: place }
    const { code, stderr } = await runProgram(resolve('dist/dossier.js'), words, options)
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
  }
  expect(readdirSync(place)).toEqual(['orders.csv'])
})

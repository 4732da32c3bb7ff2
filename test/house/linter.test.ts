import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from '@jest/globals'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()

/** Where the linter finds faults in a file of the product with this text: `line rule`. */
function faultsIn(text: string): ReadonlySet<string> {
  const place = folder()
  copyFileSync('.oxlintrc.json', join(place, '.oxlintrc.json'))
  symlinkSync(resolve('node_modules'), join(place, 'node_modules'))
  mkdirSync(join(place, 'src'))
  // As JavaScript: the rule is the same, and no types are looked up.
  writeFileSync(join(place, 'src', 'planted.js'), text)
  const linter = resolve('node_modules/oxlint/bin/oxlint')
  const { stdout } = spawnSync(process.execPath, [linter, '--format', 'unix'], {
    cwd: place,
    encoding: 'utf8',
  })
  const lines = [...stdout.matchAll(/planted\.js:(\d+):.*\/(regexp\([\w-]+\))/g)]
  return new Set(lines.map(([, line = '', rule = '']) => `${line} ${rule}`))
}

it('the linter refuses an expression whose work grows faster than its text', () => {
  const faults = faultsIn(String.raw`
    export const backtracks = /^application\/json\s*(?:;\s*charset\s*=\s*utf-8\s*)?;?\s*$/i
    export const nested = /^(?:[a-z]+-?)+$/
    export const startsAnew = /\s+$/
    export const linear = /^Bearer +([!-~]{1,255})$/i
  `)
  expect(faults).toEqual(
    new Set([
      '2 regexp(no-super-linear-backtracking)',
      '3 regexp(no-super-linear-backtracking)',
      '4 regexp(no-super-linear-move)',
    ]),
  )
})

it('no file switches a rule off', () => {
  const comment = /(?:eslint|oxlint)-dis[a]ble/
  const sources = ['src', 'test', 'examples', 'fault-injection', 'bench', 'tools']
    .flatMap(filesIn)
    .filter((path) => /\.[cm]?[jt]s$/.test(path))
  expect(sources.length).toBeGreaterThan(500)
  expect(sources.filter((path) => comment.test(readFileSync(path, 'utf8')))).toEqual([])
})

/** What is installed is left out, and no link is followed: that of an example leads around in a circle. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) return [path]
    return ['node_modules', '.build'].includes(entry.name) ? [] : filesIn(path)
  })
}

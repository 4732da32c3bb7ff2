import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { beforeAll, expect, it } from '@jest/globals'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()

// JavaScript files, because the tested rules do not need types.
const planted: Readonly<Record<string, string>> = {
  'src/planted.js': String.raw`
    export const backtracks = /^application\/json\s*(?:;\s*charset\s*=\s*utf-8\s*)?;?\s*$/i
    export const nested = /^(?:[a-z]+-?)+$/
    export const startsAnew = /\s+$/
    export const linear = /^Bearer +([!-~]{1,255})$/i
  `,
  'src/console/planted.jsx': `
    const safeAddress = (id) => addressOf(['people', id])
    const rawAddress = (id) => '#/people/' + id
    export const Link = ({ data }) => <a href={safeAddress(data.id)} {...data}>so</a>
    export const Raw = ({ data }) => <p dangerouslySetInnerHTML={{ __html: data.note }} />
    export const Web = ({ data }) => <a href={data.site}>{data.site}</a>
    export const Place = ({ data, route }) => (
      <a href={data.isMine ? withQuery(route, {}) : undefined} download="members.csv">
        <img src={\`pictures/\${data.id}\`} />
      </a>
    )
    export function write(element, text) {
      element.innerHTML = text
      document.write(text)
      location.href = text
      location.assign(text)
      location.hash = addressOf([text])
    }
  `,
}

/** The lint findings in the planted files, each as `file:line rule`. */
let faults: ReadonlySet<string>

beforeAll(() => {
  const place = folder()
  copyFileSync('.oxlintrc.json', join(place, '.oxlintrc.json'))
  cpSync('tools/console-rules.js', join(place, 'tools/console-rules.js'))
  symlinkSync(resolve('node_modules'), join(place, 'node_modules'))
  for (const [file, text] of Object.entries(planted)) {
    mkdirSync(join(place, dirname(file)), { recursive: true })
    writeFileSync(join(place, file), text)
  }
  const linter = resolve('node_modules/oxlint/bin/oxlint')
  const { stdout } = spawnSync(process.execPath, [linter, '--format', 'unix'], {
    cwd: place,
    encoding: 'utf8',
  })
  const lines = [...stdout.matchAll(/(planted\.jsx?:\d+):.*\/((?:regexp|console)\([\w-]+\))/g)]
  faults = new Set(lines.map(([, line = '', rule = '']) => `${line} ${rule}`))
})

const faultsOf = (file: string) =>
  new Set(
    [...faults]
      .filter((one) => one.startsWith(`${file}:`))
      .map((one) => one.slice(file.length + 1)),
  )

it('the linter refuses a regular expression with superlinear run time', () => {
  expect(faultsOf('planted.js')).toEqual(
    new Set([
      '2 regexp(no-super-linear-backtracking)',
      '3 regexp(no-super-linear-backtracking)',
      '4 regexp(no-super-linear-move)',
    ]),
  )
})

it('the linter refuses code that would render customer data as markup', () => {
  expect(faultsOf('planted.jsx')).toEqual(
    new Set([
      '3 console(no-raw-address)',
      '4 console(no-spread)',
      '5 console(no-raw-html)',
      '6 console(no-raw-address)',
      '9 console(no-raw-address)',
      '13 console(no-raw-html)',
      '14 console(no-raw-html)',
      '15 console(no-raw-address)',
      '16 console(no-raw-address)',
    ]),
  )
})

it('no file disables a rule', () => {
  const comment = /(?:eslint|oxlint)-dis[a]ble/
  const sources = ['src', 'test', 'examples', 'fault-injection', 'bench', 'tools']
    .flatMap(filesIn)
    .filter((path) => /\.[cm]?[jt]sx?$/.test(path))
  expect(sources.length).toBeGreaterThan(500)
  expect(sources.filter((path) => comment.test(readFileSync(path, 'utf8')))).toEqual([])
})

/**
 * Returns all source files in a folder. Skips installed packages and links, because an example contains a link to a
 * parent folder.
 */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) return [path]
    return ['node_modules', '.build'].includes(entry.name) ? [] : filesIn(path)
  })
}

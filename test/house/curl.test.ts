import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'

/** Options and formats that curl 7.74, the version of Debian 11, does not know. */
const tooNew =
  /--json\b|--fail-with-body|--variable|--expand-|--rate |--url-query|%header\{|%\{(header_json|certs|num_certs|errormsg|exitcode)\}|%output\{/

const pages = ['README.md', ...readdirSync('docs').map((name) => `docs/${name}`)].filter((path) =>
  path.endsWith('.md'),
)

describe('the commands of the README and the docs', () => {
  it.each(pages)('of %s run with curl 7.74', (path) => {
    const blocks = readFileSync(path, 'utf8').match(/^```sh\n.*?^```$/gms) ?? []
    expect(blocks.filter((block) => tooNew.test(block))).toEqual([])
  })
})

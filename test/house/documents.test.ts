import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { faultCodes } from '../../src/adapters/http/errors/faults.js'
import { scopes } from '../../src/adapters/http/ports/key-ring.js'

function pagesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
}

const examples = readdirSync('examples').map((name) => join('examples', name))
const pages = ['.', 'docs', 'docs/adr', 'bench', ...examples].flatMap(pagesIn)

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function anchorsIn(page: string): readonly string[] {
  const text = readFileSync(page, 'utf8').replace(/^```.*?^```$/gms, '')
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
}

/** The links of a page that lead nowhere. Links to other sites are not followed. */
function brokenLinks(page: string): readonly string[] {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)]
  return links
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page : normalize(join(dirname(page), path))
      if (!existsSync(target)) return true
      return anchor !== undefined && !anchorsIn(target).includes(anchor)
    })
}

describe('the documents', () => {
  it.each(pages)('link to files and headings that exist: %s', (page) => {
    expect(brokenLinks(page)).toEqual([])
  })

  it('list every code of an error and every scope of a key', () => {
    const api = readFileSync('docs/api.md', 'utf8')
    const configuration = readFileSync('docs/configuration.md', 'utf8')
    for (const code of faultCodes) expect(api).toContain(`\`${code}\``)
    for (const scope of scopes) expect(configuration).toContain(`\n| \`${scope}\``)
  })

  it('keep the README short: at most 120 lines of at most 240 characters', () => {
    const lines = readFileSync('README.md', 'utf8').trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(120)
    expect(lines.filter((line) => line.length > 240)).toEqual([])
  })
})

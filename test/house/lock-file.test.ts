import { readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { z } from 'zod'

const names = z.record(z.string(), z.string()).default({})

const { packages } = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        resolved: z.string().optional(),
        dependencies: names,
        optionalDependencies: names,
      }),
    ),
  })
  .parse(JSON.parse(readFileSync('package-lock.json', 'utf8')))

const folders = Object.entries(packages)

describe('package-lock.json, which npm ci installs from', () => {
  it('contains every dependency of every package, including those for other platforms', () => {
    const missing = folders.flatMap(([folder, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies }).filter(
        (name) => !isFoundFrom(folder, name),
      ),
    )
    expect(missing).toEqual([])
  })

  it('names no registry, so that each machine asks its own', () => {
    expect(folders.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })
})

/** Returns whether Node would find the package: in `node_modules` of the folder or of a parent folder. */
function isFoundFrom(folder: string, name: string): boolean {
  const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
  if (path in packages) return true
  if (folder === '') return false
  return isFoundFrom(folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/'))), name)
}

import { resolve } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { firstSteps, ownContainer } from '../../../src/adapters/cli/first-steps.js'

describe('the first steps in a container', () => {
  it.each([
    ['3f2a9c51d0e7', '3f2a9c51d0e7'],
    ['a-name-of-our-own', 'CONTAINER'],
  ])('on the host %s read the key through the engine, from %s', (host, name) => {
    const origin = 'http://127.0.0.1:3000'
    const steps = firstSteps(origin, '/app/data/first-key', {
      program: '/app/dist/dossier.js',
      container: ownContainer(host),
    })
    const read = `$(docker exec ${name} cat /app/data/first-key)`
    expect(steps.match(/\$\([^)]*\)/g)).toEqual([read, read])
    expect(steps).toContain(
      `docker exec ${name} node dist/dossier.js keys create --name console --scope read`,
    )
    expect(steps).toContain('in /app/data/first-key of this container.')
  })
})

describe('the first steps outside a container', () => {
  it.each([
    ['of a checkout', resolve('dist/dossier.js'), 'node dist/dossier.js'],
    ['of another folder', '/opt/dossier/dist/dossier.js', 'node /opt/dossier/dist/dossier.js'],
  ])('call the program %s by its path', (_, program, command) => {
    const steps = firstSteps('http://127.0.0.1:3000', 'data/first-key', { program })
    expect(steps).toContain(`\n${command} keys create --name console --scope read\n`)
  })
})

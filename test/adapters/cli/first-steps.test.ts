import { describe, expect, it } from '@jest/globals'
import { firstSteps, ownContainer } from '../../../src/adapters/cli/first-steps.js'

describe('the first steps in a container', () => {
  it.each([
    ['3f2a9c51d0e7', '3f2a9c51d0e7'],
    ['a-name-of-our-own', 'CONTAINER'],
  ])('on the host %s read the key through the engine, from %s', (host, name) => {
    const origin = 'http://127.0.0.1:3000'
    const steps = firstSteps(origin, '/app/data/first-key', {
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

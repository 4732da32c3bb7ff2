import { describe, expect, it } from '@jest/globals'
import { validate, version } from 'uuid'
import { uuidGenerator } from '../../../src/adapters/system/clock-and-ids.js'

describe('ids', () => {
  it('are UUIDs of version 7, none twice', () => {
    const ids = Array.from({ length: 10_000 }, () => uuidGenerator.next())
    expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
    // Nothing of their random part is shared either: no two come from the same bytes.
    expect(new Set(ids.map((id) => id.slice(14))).size).toBe(ids.length)
  })

  it('carry the time at which they were made', () => {
    const before = Date.now()
    const made = Number.parseInt(uuidGenerator.next().replaceAll('-', '').slice(0, 12), 16)
    expect(made).toBeGreaterThanOrEqual(before)
    expect(made).toBeLessThanOrEqual(Date.now())
  })
})

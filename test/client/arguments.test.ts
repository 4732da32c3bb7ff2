import { expect, it } from '@jest/globals'
import type { Dossier } from '../../src/client/dossier.js'
import { ScriptedService } from './scripted-service.js'

/** A value that TypeScript would refuse. */
const text = 'purchase' as unknown as { readonly name: string }

it.each<[string, (dossier: Dossier) => Promise<object>, string]>([
  ['record', ({ entities }) => entities.record('x', text), "{ name: 'purchase' }"],
  ['create', ({ entities }) => entities.create('x', text as object), '{ properties: {} }'],
  ['begin', ({ erasures }) => erasures.begin('x', text as object), '{ suppress: true }'],
  ['record', ({ entities }) => entities.record('x', [text] as never), "{ name: 'purchase' }"],
])(
  '%s refuses a second argument that is no object, and sends nothing',
  async (_name, call, form) => {
    const service = await ScriptedService.start()
    await expect(call(service.client())).rejects.toThrow(
      new TypeError(`the second argument must be an object such as ${form}`),
    )
    expect(service.received).toEqual([])
  },
)

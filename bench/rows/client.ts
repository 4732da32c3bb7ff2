import { startDossier } from '../servers/dossier.js'
import { comparePrepared } from './compare.js'
import { forkedSubject } from './forked-subject.js'
import type { Row } from './row.js'

/** What the client costs its caller: CPU is that of the calling process. */
export const client: Row = {
  id: 'client',
  about: 'an event recorded through dossier/client / through fetch by hand, 16 in flight each',
  run: async (bench) => {
    const folder = await bench.folder()
    const { origin, key } = await startDossier({ name: 'dossier', folder }, bench.scope)
    const start = (kind: string) =>
      forkedSubject(kind, 'rows/client-calls.js', [kind, origin, key], bench.scope)
    const a = await start('client')
    const b = await start('fetch')
    return { comparison: await comparePrepared(bench, a, b) }
  },
}

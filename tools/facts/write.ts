import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { factDocuments } from './fact-documents.js'

/** Writes `docs/facts`. The schema of a released version must not change: see `docs/facts.md`. */
const folder = 'docs/facts'
mkdirSync(folder, { recursive: true })
for (const [name, text] of factDocuments()) writeFileSync(join(folder, name), text)
